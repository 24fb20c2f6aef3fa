// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix transposed: naive (reads along rows, writes along columns) and by tiles through shared
// memory.
#pragma once

#include "../harness/bench.h"

namespace transpose {
constexpr int N = 4096;
constexpr int Tile = 32;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, 2.0 * sizeof(float) * N * N};
  return problem.input(bench::randomFloats(size_t(N) * N, -1, 1, 1)).output<float>(size_t(N) * N);
}
} // namespace transpose
