// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pieces of 512 integers sorted by a bitonic network in shared memory, 256 threads a piece. Items
// are elements. The OpenMP form runs the same network over a piece.
#pragma once

#include "../harness/bench.h"

namespace bitonic {
constexpr int Piece = 512;
constexpr int N = 1 << 20;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N)};
  problem.tolerance = 0;
  bench::Random random(1);
  std::vector<unsigned> values(N);
  for (unsigned &value : values)
    value = random.next();
  return problem.input(values).output<unsigned>(N);
}
} // namespace bitonic
