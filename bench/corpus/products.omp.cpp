// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products.h"

using namespace products;
using bench::Data;

static void gemmRun(Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1), *c = data.get<float>(2);
  float *out = data.get<float>(3);
#pragma omp parallel for
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++)
      out[i * N + j] = Beta * c[i * N + j];
    for (int k = 0; k < K; k++)
#pragma omp simd
      for (int j = 0; j < N; j++)
        out[i * N + j] += Alpha * a[i * K + k] * b[k * N + j];
  }
}

/// c = d + a * b; without d, c = a * b.
static void multiply(const float *a, const float *b, const float *d, float *c) {
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      c[i * N + j] = d ? d[i * N + j] : 0;
    for (int k = 0; k < N; k++)
#pragma omp simd
      for (int j = 0; j < N; j++)
        c[i * N + j] += a[i * N + k] * b[k * N + j];
  }
}

static void mm2Run(Data &data) {
  multiply(data.get<float>(0), data.get<float>(1), nullptr, data.get<float>(4));
  multiply(data.get<float>(4), data.get<float>(2), data.get<float>(3), data.get<float>(5));
}

static void mm3Run(Data &data) {
  multiply(data.get<float>(0), data.get<float>(1), nullptr, data.get<float>(4));
  multiply(data.get<float>(2), data.get<float>(3), nullptr, data.get<float>(5));
  multiply(data.get<float>(4), data.get<float>(5), nullptr, data.get<float>(6));
}

static void syrkRun(Data &data) {
  const float *a = data.get<float>(0), *c = data.get<float>(1);
  float *out = data.get<float>(2);
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int k = 0; k < K; k++)
        sum += a[i * K + k] * a[j * K + k];
      out[i * N + j] = Beta * c[i * N + j] + Alpha * sum;
    }
}

static void syr2kRun(Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1), *c = data.get<float>(2);
  float *out = data.get<float>(3);
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) {
      float sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int k = 0; k < K; k++)
        sum += a[i * K + k] * b[j * K + k] + b[i * K + k] * a[j * K + k];
      out[i * N + j] = Beta * c[i * N + j] + Alpha * sum;
    }
}

static void symmRun(Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1), *c = data.get<float>(2);
  float *out = data.get<float>(3);
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      out[i * N + j] = Beta * c[i * N + j];
    for (int k = 0; k < N; k++) {
      float factor = Alpha * (k <= i ? a[i * N + k] : a[k * N + i]);
#pragma omp simd
      for (int j = 0; j < N; j++)
        out[i * N + j] += factor * b[k * N + j];
    }
  }
}

static void trmmRun(Data &data) {
  const float *a = data.get<float>(0), *b = data.get<float>(1);
  float *out = data.get<float>(2);
#pragma omp parallel for schedule(dynamic, 8)
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      out[i * N + j] = b[i * N + j];
    for (int k = i + 1; k < N; k++)
#pragma omp simd
      for (int j = 0; j < N; j++)
        out[i * N + j] += a[k * N + i] * b[k * N + j];
    for (int j = 0; j < N; j++)
      out[i * N + j] *= Alpha;
  }
}

static void doitgenRun(Data &data) {
  const float *a = data.get<float>(0), *c4 = data.get<float>(1);
  float *out = data.get<float>(2);
#pragma omp parallel for
  for (int row = 0; row < DR * DQ; row++) {
    float sums[DP] = {};
    for (int s = 0; s < DP; s++)
#pragma omp simd
      for (int p = 0; p < DP; p++)
        sums[p] += a[row * DP + s] * c4[s * DP + p];
    for (int p = 0; p < DP; p++)
      out[row * DP + p] = sums[p];
  }
}

BENCHMARK("gemm", gemm, gemmRun)
BENCHMARK("rows_by_x_gemm", gemm, gemmRun)
BENCHMARK("2mm", mm2, mm2Run)
BENCHMARK("3mm", mm3, mm3Run)
BENCHMARK("syrk", syrk, syrkRun)
BENCHMARK("syr2k", syr2k, syr2kRun)
BENCHMARK("symm", symm, symmRun)
BENCHMARK("trmm", trmm, trmmRun)
BENCHMARK("doitgen", doitgen, doitgenRun)
