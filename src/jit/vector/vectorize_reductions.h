// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Takes loops of sums that one thread goes through alone on vectors, along the loop, 16 rounds at
/// once under a mask: see the top of vectorize_reductions.cpp for which, and why.
///
///     loop: %sum = phi [%start], [%next]        loop: %sums = phi [zero], [%nexts]; twice
///           %next = %sum + load %p + 4 * %i  ->       %nexts = %sums + masked.load %p + 4 * %i
///           %i < %n                                   %i + 16 < %n
///                                               %next = %start + all lanes of %nexts
struct VectorizeReductions : llvm::PassInfoMixin<VectorizeReductions> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
