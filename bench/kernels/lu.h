// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition without pivoting, right-looking in blocks of 32: the diagonal block by one warp,
// the blocks to the right of it and below by a warp each, the rest by a matrix product. The matrix
// is diagonally dominant.
#pragma once

#include "../harness/bench.h"

namespace lu {
constexpr int N = 1024;
constexpr int Block = 32, Blocks = N / Block;
constexpr int Rows = 8; // of threads in the product: each computes Block / Rows elements

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Flops, 2.0 / 3 * N * N * N};
  std::vector<float> matrix = bench::randomFloats(N * N, -1, 1, 1);
  for (int i = 0; i < N; ++i)
    matrix[i * N + i] += N;
  return problem.input(matrix).output<float>(N * N);
}
} // namespace lu
