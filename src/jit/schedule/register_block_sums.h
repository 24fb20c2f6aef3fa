// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Where straight code adds to more sums than there are registers, adds to some of them first, and
/// then to the others:
///
///     s0 = fma a0, b0, s0; s1 = fma a0, c0, s1         s0 = fma a0, b0, s0; s0 = fma a1, b1, s0
///     s0 = fma a1, b1, s0; s1 = fma a1, c1, s1    ->   s1 = fma a0, c0, s1; s1 = fma a1, c1, s1
///
/// To be run when nothing follows that would find the same loads in both groups.
struct RegisterBlockSums : llvm::PassInfoMixin<RegisterBlockSums> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
