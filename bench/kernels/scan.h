// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inclusive prefix sum of integers in three kernels: blocks scan their 256 elements in shared
// memory (Hillis and Steele), one block scans the blocks' sums, and all add what stands before
// them. The OpenMP form does the same with a chunk a thread.
#pragma once

#include "../harness/bench.h"

namespace scan {
constexpr int Block = 256;
constexpr int N = 1 << 23;
constexpr int Blocks = N / Block;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, 2.0 * sizeof(int) * N};
  problem.tolerance = 0;
  bench::Random random(1);
  std::vector<int> values(N);
  for (int &value : values)
    value = random.next() % 16;
  return problem.input(values).output<int>(N).scratch<int>(Blocks);
}
} // namespace scan
