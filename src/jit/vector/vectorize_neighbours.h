// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// In code of a single thread, makes one vector of neighbours that it reads, computes with and writes.
///
///     %a = load float, %p             %v = load <4 x float>, %p
///     %b = load float, %p + 4    ->   %w = fadd %v, %v
///     store %a + %a, %q ...           store <4 x float> %w, %q
struct VectorizeNeighbours : llvm::PassInfoMixin<VectorizeNeighbours> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
