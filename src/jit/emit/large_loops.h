// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"

namespace heddle::jit {

/// LLVM's full unrolling does not look at loops that are too large for it, or in too large a
/// function.
void leaveLargeLoops(llvm::PassInstrumentationCallbacks &);

/// LLVM's unrolling of loops, by parts too, without those.
struct UnrollSmallLoops : llvm::PassInfoMixin<UnrollSmallLoops> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
