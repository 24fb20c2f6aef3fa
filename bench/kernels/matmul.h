// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A * B of square matrices: one thread an element, straight from memory, and with tiles of A
// and B in shared memory. The OpenMP loops are ordered so that the inner one runs along rows; the
// tiled form blocks them.
#pragma once

#include "../harness/bench.h"

namespace matmul {
constexpr int N = 768;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Flops, 2.0 * N * N * N};
  return problem.input(bench::randomFloats(N * N, -1, 1, 1))
      .input(bench::randomFloats(N * N, -1, 1, 2))
      .output<float>(N * N);
}
} // namespace matmul
