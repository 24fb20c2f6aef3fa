// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over a thread's own arrays. CUDA programs keep small arrays in registers and count on the
// compiler to unroll what walks over them; an array in memory is a gather and a scatter for each
// access of a warp. Clang, which does not know this, leaves loops that are large or many:
//
//     float v[16];  ...                                   v.0 = ...
//     for (i = 0; i < 16; i++) out[i * n] = v[i];   ->    out[0] = v.0;  out[n] = v.1;  ...
//
// A loop of known length in which the address of a local variable changes is unrolled, unless the
// program forbids it (`#pragma unroll 1`) or the code would get very large. After that SROA takes
// the array apart.
//
// The length of a loop may hang on the loop around it (the elimination of a small matrix): it is
// known once that one is unrolled, so that loops are marked and unrolled until none is left.
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// After inlining: a callee's loops walk over the caller's arrays.
struct UnrollArrays : llvm::PassInfoMixin<UnrollArrays> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
