// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Loops around a compare-and-swap end where it would change nothing; see the top of
/// kept_swaps.cpp.
struct KeptSwaps : llvm::PassInfoMixin<KeptSwaps> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
