// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One step of the 7-point stencil in space; the border keeps its values. Straight from memory with
// a thread a cell, and with threads that walk up a column: the plane's tile in shared memory, the
// cells below and above in registers.
#pragma once

#include "../harness/bench.h"

namespace stencil3d {
constexpr int N = 256;
constexpr int TileX = 32, TileY = 8;
constexpr int Steps = 64; // cells that a thread of the walking form computes

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, 2.0 * sizeof(float) * N * N * N};
  return problem.input(bench::randomFloats(size_t(N) * N * N, 0, 1, 1)).output<float>(size_t(N) * N * N);
}
} // namespace stencil3d
