// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of an array, one number a block: a shared-memory tree over one element a thread, and with
// a grid-stride loop in front of the tree. The host would add the blocks' sums; they are the result
// here.
#pragma once

#include "../harness/bench.h"

namespace reduce {
constexpr int N = 1 << 24;
constexpr int Block = 256;
constexpr int Blocks = 256; // of the grid-stride form

inline bench::Problem problem(int sums) {
  bench::Problem problem{bench::Unit::Bytes, double(sizeof(float)) * N};
  return problem.input(bench::randomFloats(N, 0, 1, 1)).output<float>(sums);
}
inline bench::Problem treeProblem() { return problem(N / Block); }
inline bench::Problem stridedProblem() { return problem(Blocks); }
} // namespace reduce
