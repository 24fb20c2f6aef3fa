// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vectors.h"

using namespace vectors;
using bench::Data;

constexpr int Block = 128;

/// y = A x: a thread walks along its row.
__global__ static void rowProduct(int m, int n, const float *a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    y[i] = 0;
    for (int j = 0; j < n; j++)
      y[i] += a[i * n + j] * x[j];
  }
}

/// y = A^T x: a thread walks down its column.
__global__ static void columnProduct(int m, int n, const float *a, const float *x, float *y) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    y[j] = 0;
    for (int i = 0; i < m; i++)
      y[j] += a[i * n + j] * x[i];
  }
}

static void ataxRun(Data &data) {
  const float *a = data.get<float>(0);
  rowProduct<<<cover(M, Block), Block>>>(M, N, a, data.get<float>(1), data.get<float>(2));
  columnProduct<<<cover(N, Block), Block>>>(M, N, a, data.get<float>(2), data.get<float>(3));
}

static void bicgRun(Data &data) {
  const float *a = data.get<float>(0);
  columnProduct<<<cover(N, Block), Block>>>(M, N, a, data.get<float>(2), data.get<float>(4));
  rowProduct<<<cover(M, Block), Block>>>(M, N, a, data.get<float>(1), data.get<float>(3));
}

__global__ static void mvtRows(int n, const float *a, const float *y, const float *x, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = x[i];
    for (int j = 0; j < n; j++)
      sum += a[i * n + j] * y[j];
    out[i] = sum;
  }
}

__global__ static void mvtColumns(int n, const float *a, const float *y, const float *x,
                                  float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float sum = x[i];
    for (int j = 0; j < n; j++)
      sum += a[j * n + i] * y[j];
    out[i] = sum;
  }
}

static void mvtRun(Data &data) {
  const float *a = data.get<float>(0);
  mvtRows<<<cover(Square, Block), Block>>>(Square, a, data.get<float>(1), data.get<float>(3),
                                           data.get<float>(5));
  mvtColumns<<<cover(Square, Block), Block>>>(Square, a, data.get<float>(2), data.get<float>(4),
                                              data.get<float>(6));
}

__global__ static void rankTwo(int n, const float *in, const float *u1, const float *v1,
                               const float *u2, const float *v2, float *a) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    a[i * n + j] = in[i * n + j] + u1[i] * v1[j] + u2[i] * v2[j];
}

__global__ static void gemverX(int n, float beta, const float *a, const float *y, const float *z,
                               float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    x[i] = z[i];
    for (int j = 0; j < n; j++)
      x[i] += beta * a[j * n + i] * y[j];
  }
}

__global__ static void gemverW(int n, float alpha, const float *a, const float *x, float *w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    w[i] = 0;
    for (int j = 0; j < n; j++)
      w[i] += alpha * a[i * n + j] * x[j];
  }
}

static void gemverRun(Data &data) {
  float *a = data.get<float>(7), *x = data.get<float>(8), *w = data.get<float>(9);
  rankTwo<<<dim3(cover(Square, 32), cover(Square, 8)), dim3(32, 8)>>>(
      Square, data.get<float>(0), data.get<float>(1), data.get<float>(2), data.get<float>(3),
      data.get<float>(4), a);
  gemverX<<<cover(Square, Block), Block>>>(Square, Beta, a, data.get<float>(5), data.get<float>(6),
                                           x);
  gemverW<<<cover(Square, Block), Block>>>(Square, Alpha, a, x, w);
}

__global__ static void gesummvKernel(int n, float alpha, float beta, const float *a, const float *b,
                                     const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float first = 0, second = 0;
    for (int j = 0; j < n; j++) {
      first += a[i * n + j] * x[j];
      second += b[i * n + j] * x[j];
    }
    y[i] = alpha * first + beta * second;
  }
}

static void gesummvRun(Data &data) {
  gesummvKernel<<<cover(Square, Block), Block>>>(Square, Alpha, Beta, data.get<float>(0),
                                                 data.get<float>(1), data.get<float>(2),
                                                 data.get<float>(3));
}

/// One step of the forward substitution: x[step] is known, and leaves the other equations.
__global__ static void eliminate(int n, int step, const float *lower, float *rest, float *x) {
  int i = step + blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float known = rest[step] / lower[step * n + step];
  if (i == step)
    x[step] = known;
  else
    rest[i] -= lower[i * n + step] * known;
}

static void trisolvRun(Data &data) {
  float *rest = data.get<float>(2);
  cudaMemcpyAsync(rest, data.get<float>(1), System * sizeof(float), cudaMemcpyDeviceToDevice);
  for (int step = 0; step < System; step++)
    eliminate<<<cover(System - step, Block), Block>>>(System, step, data.get<float>(0), rest,
                                                      data.get<float>(3));
}

/// Levinson and Durbin's recursion; a thread has one unknown, and each step sums over the block.
__global__ static void durbinKernel(int n, const float *columns, float *solutions) {
  __shared__ float y[256], terms[256];
  const float *r = columns + blockIdx.x * n;
  int i = threadIdx.x;
  float alpha = -r[0], beta = 1;
  if (i == 0)
    y[0] = -r[0];
  __syncthreads();
  for (int k = 1; k < n; k++) {
    beta = (1 - alpha * alpha) * beta;
    terms[i] = i < k ? r[k - i - 1] * y[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
      if (i < half)
        terms[i] += terms[i + half];
      __syncthreads();
    }
    alpha = -(r[k] + terms[0]) / beta;
    float changed = i < k ? y[i] + alpha * y[k - i - 1] : alpha;
    __syncthreads();
    if (i <= k)
      y[i] = changed;
    __syncthreads();
  }
  if (i < n)
    solutions[blockIdx.x * n + i] = y[i];
}

static void durbinRun(Data &data) {
  durbinKernel<<<Systems, 256>>>(Toeplitz, data.get<float>(0), data.get<float>(1));
}

BENCHMARK("atax", atax, ataxRun)
BENCHMARK("bicg", bicg, bicgRun)
BENCHMARK("mvt", mvt, mvtRun)
BENCHMARK("gemver", gemver, gemverRun)
BENCHMARK("gesummv", gesummv, gesummvRun)
BENCHMARK("trisolv", trisolv, trisolvRun)
BENCHMARK("durbin", durbin, durbinRun)
