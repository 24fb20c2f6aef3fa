// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sgemm.h"

using sgemm::N;

// A register block of C: with AVX-512 16 registers of the 32, with AVX2 12 of the 16.
#if defined(__AVX512F__)
constexpr int Rows = 8, Columns = 32;
#else
constexpr int Rows = 4, Columns = 24;
#endif
constexpr int Slice = 256; // rows of B in a panel, so that it stays in the first-level cache

/// c[Rows][width] += a[Rows][depth] * panel[depth][Columns]
static inline void registerBlock(int depth, const float *a, const float *panel, float *c, int width) {
  float sums[Rows][Columns] = {};
  for (int k = 0; k < depth; ++k)
    for (int i = 0; i < Rows; ++i)
#pragma omp simd
      for (int j = 0; j < Columns; ++j)
        sums[i][j] += a[i * N + k] * panel[k * Columns + j];
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < width; ++j)
      c[i * N + j] += sums[i][j];
}

static void run(bench::Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1);
  float *c = data.get<float>(2);
#pragma omp parallel for
  for (int column = 0; column < N; column += Columns) {
    int width = N - column < Columns ? N - column : Columns;
    for (int row = 0; row < N; ++row)
      for (int j = 0; j < width; ++j)
        c[row * N + column + j] = 0;
    alignas(64) float panel[Slice * Columns] = {};
    for (int start = 0; start < N; start += Slice) {
      for (int k = 0; k < Slice; ++k)
        std::memcpy(panel + k * Columns, b + (start + k) * N + column, width * sizeof(float));
      for (int row = 0; row < N; row += Rows)
        registerBlock(Slice, a + row * N + start, panel, c + row * N + column, width);
    }
  }
}

BENCHMARK("sgemm_128x128", sgemm::problem, run)
BENCHMARK("sgemm_64x64", sgemm::problem, run)
