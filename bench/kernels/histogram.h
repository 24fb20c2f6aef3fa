// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 256 bins of bytes: with one histogram a block in shared memory, and straight into global memory.
#pragma once

#include "../harness/bench.h"

namespace histogram {
constexpr int N = 1 << 24;
constexpr int Bins = 256;
constexpr int Blocks = 256;
constexpr int Block = 256;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N)};
  problem.tolerance = 0;
  bench::Random random(1);
  std::vector<unsigned char> values(N);
  for (unsigned char &value : values)
    value = (random.next() % 256 + random.next() % 256) / 2; // some bins are hit more than others
  return problem.input(values).output<unsigned>(Bins);
}
} // namespace histogram
