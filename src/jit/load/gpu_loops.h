// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle::jit {

/// What LLVM's pipeline is to do with the loops of a GPU's code: hints in front of it and in the middle.
void addLoopHints(llvm::PassBuilder &builder);

/// Loops in the form that ptxas unrolls, behind all else.
struct LatchesContinue : llvm::PassInfoMixin<LatchesContinue> {
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace heddle::jit
