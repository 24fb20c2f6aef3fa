// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products.h"

using namespace products;
using bench::Data;

static const dim3 Block(32, 8), Grid(cover(N, 32), cover(N, 8));

__global__ static void gemmKernel(int m, int n, int k, float alpha, const float *a, const float *b,
                                  float beta, const float *c, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    float sum = beta * c[i * n + j];
    for (int l = 0; l < k; l++)
      sum += alpha * a[i * k + l] * b[l * n + j];
    out[i * n + j] = sum;
  }
}

static void gemmRun(Data &data) {
  gemmKernel<<<dim3(cover(N, 32), cover(M, 8)), Block>>>(M, N, K, Alpha, data.get<float>(0),
                                                         data.get<float>(1), Beta,
                                                         data.get<float>(2), data.get<float>(3));
}

/// Threads along x have the rows of the result, threads along y its columns.
__global__ static void gemmByRows(int m, int n, int k, float alpha, const float *a, const float *b,
                                  float beta, const float *c, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    float sum = beta * c[i * n + j];
    for (int l = 0; l < k; l++)
      sum += alpha * a[i * k + l] * b[l * n + j];
    out[i * n + j] = sum;
  }
}

static void gemmByRowsRun(Data &data) {
  gemmByRows<<<dim3(cover(M, 16), cover(N, 16)), dim3(16, 16)>>>(
      M, N, K, Alpha, data.get<float>(0), data.get<float>(1), Beta, data.get<float>(2),
      data.get<float>(3));
}

__global__ static void multiply(int n, const float *a, const float *b, float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    float sum = 0;
    for (int k = 0; k < n; k++)
      sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
  }
}

__global__ static void multiplyAdd(int n, const float *a, const float *b, const float *d,
                                   float *c) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    c[i * n + j] = d[i * n + j];
    for (int k = 0; k < n; k++)
      c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

static void mm2Run(Data &data) {
  multiply<<<Grid, Block>>>(N, data.get<float>(0), data.get<float>(1), data.get<float>(4));
  multiplyAdd<<<Grid, Block>>>(N, data.get<float>(4), data.get<float>(2), data.get<float>(3),
                               data.get<float>(5));
}

static void mm3Run(Data &data) {
  multiply<<<Grid, Block>>>(N, data.get<float>(0), data.get<float>(1), data.get<float>(4));
  multiply<<<Grid, Block>>>(N, data.get<float>(2), data.get<float>(3), data.get<float>(5));
  multiply<<<Grid, Block>>>(N, data.get<float>(4), data.get<float>(5), data.get<float>(6));
}

/// The lower half of C plus A times its transpose: both operands are walked along rows.
__global__ static void syrkKernel(int n, int m, float alpha, float beta, const float *a,
                                  const float *c, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j <= i) {
    float sum = c[i * n + j] * beta;
    for (int k = 0; k < m; k++)
      sum += alpha * a[i * m + k] * a[j * m + k];
    out[i * n + j] = sum;
  }
}

static void syrkRun(Data &data) {
  syrkKernel<<<Grid, Block>>>(N, K, Alpha, Beta, data.get<float>(0), data.get<float>(1),
                              data.get<float>(2));
}

__global__ static void syr2kKernel(int n, int m, float alpha, float beta, const float *a,
                                   const float *b, const float *c, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j <= i) {
    float sum = c[i * n + j] * beta;
    for (int k = 0; k < m; k++)
      sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
    out[i * n + j] = sum;
  }
}

static void syr2kRun(Data &data) {
  syr2kKernel<<<Grid, Block>>>(N, K, Alpha, Beta, data.get<float>(0), data.get<float>(1),
                               data.get<float>(2), data.get<float>(3));
}

/// Above the diagonal the symmetric matrix is read from below it.
__global__ static void symmKernel(int n, float alpha, float beta, const float *a, const float *b,
                                  const float *c, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n)
    return;
  float sum = 0;
  for (int k = 0; k < n; k++) {
    float element = k <= i ? a[i * n + k] : a[k * n + i];
    sum += element * b[k * n + j];
  }
  out[i * n + j] = beta * c[i * n + j] + alpha * sum;
}

static void symmRun(Data &data) {
  symmKernel<<<Grid, Block>>>(N, Alpha, Beta, data.get<float>(0), data.get<float>(1),
                              data.get<float>(2), data.get<float>(3));
}

__global__ static void trmmKernel(int n, float alpha, const float *a, const float *b, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    float sum = b[i * n + j];
    for (int k = i + 1; k < n; k++)
      sum += a[k * n + i] * b[k * n + j];
    out[i * n + j] = alpha * sum;
  }
}

static void trmmRun(Data &data) {
  trmmKernel<<<Grid, Block>>>(N, Alpha, data.get<float>(0), data.get<float>(1), data.get<float>(2));
}

__global__ static void doitgenKernel(int nr, int nq, int np, const float *a, const float *c4,
                                     float *sum) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;
  if (p >= np || q >= nq)
    return;
  for (int r = 0; r < nr; r++) {
    float total = 0;
    for (int s = 0; s < np; s++)
      total += a[(r * nq + q) * np + s] * c4[s * np + p];
    sum[(r * nq + q) * np + p] = total;
  }
}

static void doitgenRun(Data &data) {
  doitgenKernel<<<dim3(cover(DP, 32), cover(DQ, 8)), Block>>>(
      DR, DQ, DP, data.get<float>(0), data.get<float>(1), data.get<float>(2));
}

BENCHMARK("gemm", gemm, gemmRun)
BENCHMARK("rows_by_x_gemm", gemm, gemmByRowsRun)
BENCHMARK("2mm", mm2, mm2Run)
BENCHMARK("3mm", mm3, mm3Run)
BENCHMARK("syrk", syrk, syrkRun)
BENCHMARK("syr2k", syr2k, syr2kRun)
BENCHMARK("symm", symm, symmRun)
BENCHMARK("trmm", trmm, trmmRun)
BENCHMARK("doitgen", doitgen, doitgenRun)
