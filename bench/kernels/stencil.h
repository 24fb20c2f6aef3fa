// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of the 5-point stencil on a plane; the border keeps its values. Straight from memory,
// and with a tile and its rim in shared memory.
#pragma once

#include "../harness/bench.h"

namespace stencil {
constexpr int N = 4096;
constexpr int TileX = 32, TileY = 8;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, 2.0 * sizeof(float) * N * N};
  return problem.input(bench::randomFloats(size_t(N) * N, 0, 1, 1)).output<float>(size_t(N) * N);
}
} // namespace stencil
