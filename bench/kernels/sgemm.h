// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = A * B as libraries write it for GPUs: a block computes a tile of C of 128x128 (64x64)
// elements with 8x8 (4x4) elements a thread in registers; slices of A, transposed, and of B lie in
// shared memory twice, so that the next one is loaded while this one is used. The OpenMP form is
// the CPU's counterpart: a packed panel of B, and a register block of C that runs down it.
#pragma once

#include "../harness/bench.h"

namespace sgemm {
constexpr int N = 1024;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Flops, 2.0 * N * N * N};
  return problem.input(bench::randomFloats(N * N, -1, 1, 1))
      .input(bench::randomFloats(N * N, -1, 1, 2))
      .output<float>(N * N);
}
} // namespace sgemm
