// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::jit {

/// Loops that go back from several places go back from one, which also leaves them (gpu_latches.cpp).
struct OneLatch : llvm::PassInfoMixin<OneLatch> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Loops over bytes count by a number of their own.
struct OwnCounters : llvm::PassInfoMixin<OwnCounters> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
