// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matmul.h"

using matmul::N;

static void naive(bench::Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1);
  float *c = data.get<float>(2);
#pragma omp parallel for
  for (int row = 0; row < N; ++row) {
    for (int column = 0; column < N; ++column)
      c[row * N + column] = 0;
    for (int k = 0; k < N; ++k)
      for (int column = 0; column < N; ++column)
        c[row * N + column] += a[row * N + k] * b[k * N + column];
  }
}

template <int Tile> static void tiled(bench::Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1);
  float *c = data.get<float>(2);
#pragma omp parallel for collapse(2)
  for (int tileRow = 0; tileRow < N; tileRow += Tile)
    for (int tileColumn = 0; tileColumn < N; tileColumn += Tile) {
      float sums[Tile][Tile] = {};
      for (int start = 0; start < N; start += Tile)
        for (int y = 0; y < Tile; ++y)
          for (int k = 0; k < Tile; ++k)
            for (int x = 0; x < Tile; ++x)
              sums[y][x] += a[(tileRow + y) * N + start + k] * b[(start + k) * N + tileColumn + x];
      for (int y = 0; y < Tile; ++y)
        for (int x = 0; x < Tile; ++x)
          c[(tileRow + y) * N + tileColumn + x] = sums[y][x];
    }
}

BENCHMARK("matmul_naive", matmul::problem, naive)
BENCHMARK("matmul_tiled16", matmul::problem, tiled<16>)
BENCHMARK("matmul_tiled32", matmul::problem, tiled<32>)
