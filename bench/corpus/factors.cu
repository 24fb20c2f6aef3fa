// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "factors.h"

using namespace factors;
using bench::Data;

static void copy(Data &data, int to, int from, size_t count) {
  cudaMemcpyAsync(data.get<float>(to), data.get<float>(from), count * sizeof(float),
                  cudaMemcpyDeviceToDevice);
}

__global__ static void luScale(int n, int k, float *a) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i * n + k] /= a[k * n + k];
}

__global__ static void luUpdate(int n, int k, float *a) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x,
      i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

static void luRun(Data &data) {
  float *a = data.get<float>(1);
  copy(data, 1, 0, N * N);
  for (int k = 0; k < N - 1; k++) {
    luScale<<<cover(N - k, 64), 64>>>(N, k, a);
    luUpdate<<<dim3(cover(N - k, 32), cover(N - k, 8)), dim3(32, 8)>>>(N, k, a);
  }
}

__global__ static void choleskyRoot(int n, int k, float *a) { a[k * n + k] = sqrtf(a[k * n + k]); }

__global__ static void choleskyColumn(int n, int k, float *a) {
  int i = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i * n + k] /= a[k * n + k];
}

__global__ static void choleskyUpdate(int n, int k, float *a) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x,
      i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j <= i)
    a[i * n + j] -= a[i * n + k] * a[j * n + k];
}

__global__ static void clearUpper(int n, float *a) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n && j > i)
    a[i * n + j] = 0;
}

static void choleskyRun(Data &data) {
  float *a = data.get<float>(1);
  copy(data, 1, 0, N * N);
  for (int k = 0; k < N; k++) {
    choleskyRoot<<<1, 1>>>(N, k, a);
    if (k == N - 1)
      break;
    choleskyColumn<<<cover(N - k, 64), 64>>>(N, k, a);
    choleskyUpdate<<<dim3(cover(N - k, 16), cover(N - k, 16)), dim3(16, 16)>>>(N, k, a);
  }
  clearUpper<<<dim3(cover(N, 64), N), 64>>>(N, a);
}

/// The factors of a column, kept apart as Rodinia does.
__global__ static void fan1(int n, int k, const float *a, float *factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 1 - k)
    return;
  factor[i + k + 1] = a[(i + k + 1) * n + k] / a[k * n + k];
}

__global__ static void fan2(int n, int k, const float *factor, float *a, float *b) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n - 1 - k || y >= n - k)
    return;
  a[n * (x + 1 + k) + (y + k)] -= factor[x + 1 + k] * a[n * k + (y + k)];
  if (y == 0)
    b[x + 1 + k] -= factor[x + 1 + k] * b[k];
}

static void gaussianRun(Data &data) {
  float *factor = data.get<float>(2), *a = data.get<float>(3), *b = data.get<float>(4);
  copy(data, 3, 0, N * N);
  copy(data, 4, 1, N);
  for (int k = 0; k < N - 1; k++) {
    fan1<<<cover(N, 256), 256>>>(N, k, a, factor);
    fan2<<<dim3(cover(N, 16), cover(N, 16)), dim3(16, 16)>>>(N, k, factor, a, b);
  }
}

__global__ static void ludDiagonal(int n, int offset, float *a) {
  __shared__ float tile[Tile][Tile];
  int x = threadIdx.x;
  for (int i = 0; i < Tile; i++)
    tile[i][x] = a[(offset + i) * n + offset + x];
  __syncthreads();
  for (int i = 0; i < Tile - 1; i++) {
    if (x > i) {
      for (int j = 0; j < i; j++)
        tile[x][i] -= tile[x][j] * tile[j][i];
      tile[x][i] /= tile[i][i];
    }
    __syncthreads();
    if (x > i)
      for (int j = 0; j < i + 1; j++)
        tile[i + 1][x] -= tile[i + 1][j] * tile[j][x];
    __syncthreads();
  }
  for (int i = 0; i < Tile; i++)
    a[(offset + i) * n + offset + x] = tile[i][x];
}

/// Half of the threads has a tile to the right, half one below.
__global__ static void ludPerimeter(int n, int offset, float *a) {
  __shared__ float corner[Tile][Tile], row[Tile][Tile], column[Tile][Tile];
  int x = threadIdx.x % Tile, other = offset + (blockIdx.x + 1) * Tile;
  bool isRow = threadIdx.x < Tile;
  for (int i = 0; i < Tile; i++) {
    if (isRow) {
      corner[i][x] = a[(offset + i) * n + offset + x];
      row[i][x] = a[(offset + i) * n + other + x];
    } else
      column[i][x] = a[(other + i) * n + offset + x];
  }
  __syncthreads();
  if (isRow) {
    for (int i = 1; i < Tile; i++)
      for (int j = 0; j < i; j++)
        row[i][x] -= corner[i][j] * row[j][x];
  } else {
    for (int i = 0; i < Tile; i++) {
      for (int j = 0; j < i; j++)
        column[x][i] -= column[x][j] * corner[j][i];
      column[x][i] /= corner[i][i];
    }
  }
  __syncthreads();
  for (int i = 0; i < Tile; i++) {
    if (isRow)
      a[(offset + i) * n + other + x] = row[i][x];
    else
      a[(other + i) * n + offset + x] = column[i][x];
  }
}

__global__ static void ludInternal(int n, int offset, float *a) {
  __shared__ float row[Tile][Tile], column[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  int i = offset + (blockIdx.y + 1) * Tile + y, j = offset + (blockIdx.x + 1) * Tile + x;
  row[y][x] = a[(offset + y) * n + j];
  column[y][x] = a[i * n + offset + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < Tile; k++)
    sum += column[y][k] * row[k][x];
  a[i * n + j] -= sum;
}

static void ludRun(Data &data) {
  float *a = data.get<float>(1);
  copy(data, 1, 0, Tiled * Tiled);
  for (int step = 0; step < Tiles; step++) {
    unsigned rest = Tiles - 1 - step;
    ludDiagonal<<<1, Tile>>>(Tiled, step * Tile, a);
    if (rest == 0)
      break;
    ludPerimeter<<<rest, 2 * Tile>>>(Tiled, step * Tile, a);
    ludInternal<<<dim3(rest, rest), dim3(Tile, Tile)>>>(Tiled, step * Tile, a);
  }
}

__global__ static void gramNorm(int m, int n, int k, const float *a, float *r) {
  float sum = 0;
  for (int i = 0; i < m; i++)
    sum += a[i * n + k] * a[i * n + k];
  r[k * n + k] = sqrtf(sum);
}

__global__ static void gramColumn(int m, int n, int k, const float *a, const float *r, float *q) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m)
    q[i * n + k] = a[i * n + k] / r[k * n + k];
}

__global__ static void gramOthers(int m, int n, int k, float *a, float *r, const float *q) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= n)
    return;
  r[k * n + j] = 0;
  for (int i = 0; i < m; i++)
    r[k * n + j] += q[i * n + k] * a[i * n + j];
  for (int i = 0; i < m; i++)
    a[i * n + j] -= q[i * n + k] * r[k * n + j];
}

static void gramschmidtRun(Data &data) {
  float *a = data.get<float>(1), *q = data.get<float>(2), *r = data.get<float>(3);
  copy(data, 1, 0, Rows * Columns);
  for (int k = 0; k < Columns; k++) {
    gramNorm<<<1, 1>>>(Rows, Columns, k, a, r);
    gramColumn<<<cover(Rows, 128), 128>>>(Rows, Columns, k, a, r, q);
    if (k < Columns - 1)
      gramOthers<<<cover(Columns - 1 - k, 128), 128>>>(Rows, Columns, k, a, r, q);
  }
}

__global__ static void columnMean(int m, int n, const float *data, float *mean) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    mean[j] = 0;
    for (int i = 0; i < m; i++)
      mean[j] += data[i * n + j];
    mean[j] /= m;
  }
}

__global__ static void columnDeviation(int m, int n, const float *data, const float *mean,
                                       float *deviation) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < n) {
    deviation[j] = 0;
    for (int i = 0; i < m; i++)
      deviation[j] += (data[i * n + j] - mean[j]) * (data[i * n + j] - mean[j]);
    deviation[j] = sqrtf(deviation[j] / m);
    if (deviation[j] <= 0.005f)
      deviation[j] = 1;
  }
}

/// Centred, and with a deviation scaled.
__global__ static void centre(int m, int n, const float *data, const float *mean,
                              const float *deviation, float *out) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < m && j < n) {
    out[i * n + j] = data[i * n + j] - mean[j];
    if (deviation)
      out[i * n + j] /= sqrtf(float(m)) * deviation[j];
  }
}

/// A thread has a row of the result: the products of its column with all later ones.
__global__ static void columnProducts(int m, int n, float scale, const float *data, float *out) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 >= n)
    return;
  for (int j2 = j1; j2 < n; j2++) {
    float sum = 0;
    for (int i = 0; i < m; i++)
      sum += data[i * n + j1] * data[i * n + j2];
    out[j1 * n + j2] = sum * scale;
    out[j2 * n + j1] = sum * scale;
  }
}

static void centreAndMultiply(Data &data, const float *deviation, float scale) {
  centre<<<dim3(cover(Columns, 32), cover(Rows, 8)), dim3(32, 8)>>>(
      Rows, Columns, data.get<float>(0), data.get<float>(1), deviation, data.get<float>(3));
  columnProducts<<<cover(Columns, 64), 64>>>(Rows, Columns, scale, data.get<float>(3),
                                             data.get<float>(4));
}

static void covarianceRun(Data &data) {
  columnMean<<<cover(Columns, 64), 64>>>(Rows, Columns, data.get<float>(0), data.get<float>(1));
  centreAndMultiply(data, nullptr, 1.0f / (Rows - 1));
}

static void correlationRun(Data &data) {
  columnMean<<<cover(Columns, 64), 64>>>(Rows, Columns, data.get<float>(0), data.get<float>(1));
  columnDeviation<<<cover(Columns, 64), 64>>>(Rows, Columns, data.get<float>(0), data.get<float>(1),
                                              data.get<float>(2));
  centreAndMultiply(data, data.get<float>(2), 1);
}

BENCHMARK("lu", lu, luRun)
BENCHMARK("cholesky", cholesky, choleskyRun)
BENCHMARK("gaussian", gaussian, gaussianRun)
BENCHMARK("lud", lud, ludRun)
BENCHMARK("gramschmidt", gramschmidt, gramschmidtRun)
BENCHMARK("covariance", statistics, covarianceRun)
BENCHMARK("correlation", statistics, correlationRun)
