// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lu.h"

using namespace lu;

static void diagonal(float *corner) {
  for (int k = 0; k < Block - 1; ++k)
    for (int y = k + 1; y < Block; ++y) {
      float factor = corner[y * N + k] /= corner[k * N + k];
      for (int x = k + 1; x < Block; ++x)
        corner[y * N + x] -= factor * corner[k * N + x];
    }
}

static void right(const float *corner, float *tile) {
  for (int y = 1; y < Block; ++y)
    for (int k = 0; k < y; ++k)
      for (int x = 0; x < Block; ++x)
        tile[y * N + x] -= corner[y * N + k] * tile[k * N + x];
}

static void below(const float *corner, float *tile) {
  for (int y = 0; y < Block; ++y)
    for (int k = 0; k < Block; ++k) {
      float factor = tile[y * N + k] /= corner[k * N + k];
      for (int x = k + 1; x < Block; ++x)
        tile[y * N + x] -= factor * corner[k * N + x];
    }
}

/// Four rows at a time, so that a row of `top` is loaded once for them and the sums stay in
/// registers.
static void interior(const float *left, const float *top, float *tile) {
  for (int y = 0; y < Block; y += 4) {
    float sums[4][Block] = {};
    for (int k = 0; k < Block; ++k)
      for (int i = 0; i < 4; ++i)
#pragma omp simd
        for (int x = 0; x < Block; ++x)
          sums[i][x] += left[(y + i) * N + k] * top[k * N + x];
    for (int i = 0; i < 4; ++i)
      for (int x = 0; x < Block; ++x)
        tile[(y + i) * N + x] -= sums[i][x];
  }
}

static void run(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *a = data.get<float>(1);
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < N * N; ++i)
      a[i] = in[i];
    for (int step = 0; step < N; step += Block) {
      float *corner = a + step * (N + 1);
#pragma omp single
      diagonal(corner);
#pragma omp for
      for (int other = step + Block; other < N; other += Block) {
        right(corner, a + step * N + other);
        below(corner, a + other * N + step);
      }
#pragma omp for
      for (int row = step + Block; row < N; row += Block)
        for (int column = step + Block; column < N; column += Block)
          interior(a + row * N + step, a + step * N + column, a + row * N + column);
    }
  }
}

BENCHMARK("lu", problem, run)
