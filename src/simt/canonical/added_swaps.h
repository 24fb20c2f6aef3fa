// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Loops that add to a floating-point number by swapping it become one atomic addition; see the top
/// of added_swaps.cpp.
struct AddedSwaps : llvm::PassInfoMixin<AddedSwaps> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
