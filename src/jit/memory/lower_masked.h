// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Lowers masked loads, stores, gathers and scatters that the machine has no instruction for. LLVM
/// would make one branch for each lane of each; see the top of lower_masked.cpp for what is made
/// instead.
struct LowerMasked : llvm::PassInfoMixin<LowerMasked> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
