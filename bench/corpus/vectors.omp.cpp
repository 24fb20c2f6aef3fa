// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vectors.h"

using namespace vectors;
using bench::Data;

static float dot(const float *a, const float *b, int n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void rowProduct(int m, int n, const float *a, const float *x, float *y) {
#pragma omp parallel for
  for (int i = 0; i < m; i++)
    y[i] = dot(a + i * n, x, n);
}

/// A thread has a band of the columns and goes through it row by row.
static void columnProduct(int m, int n, float factor, const float *a, const float *x, float *y) {
  constexpr int Band = 256;
#pragma omp parallel for
  for (int first = 0; first < n; first += Band) {
    int last = first + Band < n ? first + Band : n;
    for (int i = 0; i < m; i++)
#pragma omp simd
      for (int j = first; j < last; j++)
        y[j] += factor * a[i * n + j] * x[i];
  }
}

static void ataxRun(Data &data) {
  const float *a = data.get<float>(0);
  float *product = data.get<float>(2), *y = data.get<float>(3);
  rowProduct(M, N, a, data.get<float>(1), product);
  std::memset(y, 0, N * sizeof(float));
  columnProduct(M, N, 1, a, product, y);
}

static void bicgRun(Data &data) {
  const float *a = data.get<float>(0);
  float *s = data.get<float>(4);
  rowProduct(M, N, a, data.get<float>(1), data.get<float>(3));
  std::memset(s, 0, N * sizeof(float));
  columnProduct(M, N, 1, a, data.get<float>(2), s);
}

static void mvtRun(Data &data) {
  const float *a = data.get<float>(0), *x1 = data.get<float>(3);
  float *out1 = data.get<float>(5), *out2 = data.get<float>(6);
  rowProduct(Square, Square, a, data.get<float>(1), out1);
  for (int i = 0; i < Square; i++)
    out1[i] += x1[i];
  std::memcpy(out2, data.get<float>(4), Square * sizeof(float));
  columnProduct(Square, Square, 1, a, data.get<float>(2), out2);
}

static void gemverRun(Data &data) {
  const float *in = data.get<float>(0), *u1 = data.get<float>(1), *v1 = data.get<float>(2);
  const float *u2 = data.get<float>(3), *v2 = data.get<float>(4);
  float *a = data.get<float>(7), *x = data.get<float>(8), *w = data.get<float>(9);
#pragma omp parallel for
  for (int i = 0; i < Square; i++)
    for (int j = 0; j < Square; j++)
      a[i * Square + j] = in[i * Square + j] + u1[i] * v1[j] + u2[i] * v2[j];
  std::memcpy(x, data.get<float>(6), Square * sizeof(float));
  columnProduct(Square, Square, Beta, a, data.get<float>(5), x);
#pragma omp parallel for
  for (int i = 0; i < Square; i++)
    w[i] = Alpha * dot(a + i * Square, x, Square);
}

static void gesummvRun(Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1), *x = data.get<float>(2);
  float *y = data.get<float>(3);
#pragma omp parallel for
  for (int i = 0; i < Square; i++)
    y[i] = Alpha * dot(a + i * Square, x, Square) + Beta * dot(b + i * Square, x, Square);
}

/// Row by row: each needs all before it.
static void trisolvRun(Data &data) {
  const float *lower = data.get<float>(0), *b = data.get<float>(1);
  float *x = data.get<float>(3);
  for (int i = 0; i < System; i++)
    x[i] = (b[i] - dot(lower + i * System, x, i)) / lower[i * System + i];
}

static void durbinRun(Data &data) {
#pragma omp parallel for
  for (int system = 0; system < Systems; system++) {
    const float *r = data.get<float>(0) + system * Toeplitz;
    float *y = data.get<float>(1) + system * Toeplitz, changed[Toeplitz];
    float alpha = -r[0], beta = 1;
    y[0] = -r[0];
    for (int k = 1; k < Toeplitz; k++) {
      beta = (1 - alpha * alpha) * beta;
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int i = 0; i < k; i++)
        sum += r[k - i - 1] * y[i];
      alpha = -(r[k] + sum) / beta;
      for (int i = 0; i < k; i++)
        changed[i] = y[i] + alpha * y[k - i - 1];
      std::memcpy(y, changed, k * sizeof(float));
      y[k] = alpha;
    }
  }
}

BENCHMARK("atax", atax, ataxRun)
BENCHMARK("bicg", bicg, bicgRun)
BENCHMARK("mvt", mvt, mvtRun)
BENCHMARK("gemver", gemver, gemverRun)
BENCHMARK("gesummv", gesummv, gesummvRun)
BENCHMARK("trisolv", trisolv, trisolvRun)
BENCHMARK("durbin", durbin, durbinRun)
