// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::jit {

/// Loads in front of the divisions and roots of their block (the essay is in gpu_order.cpp).
struct LoadsFirst : llvm::PassInfoMixin<LoadsFirst> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Signed and unsigned comparisons that decide branches have no numbers in common (gpu_order.cpp).
struct ApartComparisons : llvm::PassInfoMixin<ApartComparisons> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
