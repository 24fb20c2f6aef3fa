// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factors.h"

using namespace factors;
using bench::Data;

static float *copied(Data &data, int to, int from, size_t count) {
  std::memcpy(data.get<float>(to), data.get<float>(from), count * sizeof(float));
  return data.get<float>(to);
}

/// Rows below row k, less their multiple of it.
static void eliminate(float *a, float *b, int n) {
#pragma omp parallel
  for (int k = 0; k < n - 1; k++)
#pragma omp for
    for (int i = k + 1; i < n; i++) {
      float factor = a[i * n + k] / a[k * n + k];
#pragma omp simd
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= factor * a[k * n + j];
      if (b) {
        b[i] -= factor * b[k];
        a[i * n + k] -= factor * a[k * n + k];
      } else
        a[i * n + k] = factor;
    }
}

static void luRun(Data &data) { eliminate(copied(data, 1, 0, N * N), nullptr, N); }

static void gaussianRun(Data &data) {
  float *b = copied(data, 4, 1, N);
  eliminate(copied(data, 3, 0, N * N), b, N);
}

static void ludRun(Data &data) { eliminate(copied(data, 1, 0, Tiled * Tiled), nullptr, Tiled); }

static void choleskyRun(Data &data) {
  float *a = copied(data, 1, 0, N * N);
#pragma omp parallel
  for (int k = 0; k < N; k++) {
#pragma omp single
    a[k * N + k] = std::sqrt(a[k * N + k]);
#pragma omp for
    for (int i = k + 1; i < N; i++) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int j = 0; j < k; j++)
        sum += a[i * N + j] * a[k * N + j];
      a[i * N + k] = (a[i * N + k] - sum) / a[k * N + k];
      a[k * N + i] = 0;
    }
#pragma omp single
    if (k + 1 < N) {
      float sum = 0;
      for (int j = 0; j <= k; j++)
        sum += a[(k + 1) * N + j] * a[(k + 1) * N + j];
      a[(k + 1) * N + k + 1] -= sum;
    }
  }
}

static void gramschmidtRun(Data &data) {
  float *a = copied(data, 1, 0, Rows * Columns), *q = data.get<float>(2), *r = data.get<float>(3);
  for (int k = 0; k < Columns; k++) {
    float squares = 0, *row = r + k * Columns;
    for (int i = 0; i < Rows; i++)
      squares += a[i * Columns + k] * a[i * Columns + k];
    row[k] = std::sqrt(squares);
    for (int i = 0; i < Rows; i++)
      q[i * Columns + k] = a[i * Columns + k] / row[k];
    for (int j = k + 1; j < Columns; j++)
      row[j] = 0;
    for (int i = 0; i < Rows; i++)
#pragma omp simd
      for (int j = k + 1; j < Columns; j++)
        row[j] += q[i * Columns + k] * a[i * Columns + j];
#pragma omp parallel for
    for (int i = 0; i < Rows; i++)
#pragma omp simd
      for (int j = k + 1; j < Columns; j++)
        a[i * Columns + j] -= q[i * Columns + k] * row[j];
  }
}

static void columnMeans(Data &data) {
  const float *in = data.get<float>(0);
  float *mean = data.get<float>(1);
  std::memset(mean, 0, Columns * sizeof(float));
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      mean[j] += in[i * Columns + j];
  for (int j = 0; j < Columns; j++)
    mean[j] /= Rows;
}

static void productsOfColumns(const float *centred, float scale, float *out) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int j1 = 0; j1 < Columns; j1++) {
    float sums[Columns] = {};
    for (int i = 0; i < Rows; i++)
#pragma omp simd
      for (int j2 = j1; j2 < Columns; j2++)
        sums[j2] += centred[i * Columns + j1] * centred[i * Columns + j2];
    for (int j2 = j1; j2 < Columns; j2++)
      out[j1 * Columns + j2] = out[j2 * Columns + j1] = sums[j2] * scale;
  }
}

static void covarianceRun(Data &data) {
  const float *in = data.get<float>(0), *mean = data.get<float>(1);
  float *centred = data.get<float>(3);
  columnMeans(data);
#pragma omp parallel for
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      centred[i * Columns + j] = in[i * Columns + j] - mean[j];
  productsOfColumns(centred, 1.0f / (Rows - 1), data.get<float>(4));
}

static void correlationRun(Data &data) {
  const float *in = data.get<float>(0), *mean = data.get<float>(1);
  float *deviation = data.get<float>(2), *centred = data.get<float>(3);
  columnMeans(data);
  std::memset(deviation, 0, Columns * sizeof(float));
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      deviation[j] += (in[i * Columns + j] - mean[j]) * (in[i * Columns + j] - mean[j]);
  for (int j = 0; j < Columns; j++) {
    deviation[j] = std::sqrt(deviation[j] / Rows);
    if (deviation[j] <= 0.005f)
      deviation[j] = 1;
  }
#pragma omp parallel for
  for (int i = 0; i < Rows; i++)
    for (int j = 0; j < Columns; j++)
      centred[i * Columns + j] =
          (in[i * Columns + j] - mean[j]) / (std::sqrt(float(Rows)) * deviation[j]);
  productsOfColumns(centred, 1, data.get<float>(4));
}

BENCHMARK("lu", lu, luRun)
BENCHMARK("cholesky", cholesky, choleskyRun)
BENCHMARK("gaussian", gaussian, gaussianRun)
BENCHMARK("lud", lud, ludRun)
BENCHMARK("gramschmidt", gramschmidt, gramschmidtRun)
BENCHMARK("covariance", statistics, covarianceRun)
BENCHMARK("correlation", statistics, correlationRun)
