// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lu.h"

using namespace lu;

__global__ static void copy(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

/// Block (step, step): one warp.
__global__ static void diagonal(float *a, int step) {
  __shared__ float tile[Block][Block];
  int thread = threadIdx.x;
  float *corner = a + step * Block * (N + 1);
  for (int y = 0; y < Block; ++y)
    tile[y][thread] = corner[y * N + thread];
  __syncthreads();
  for (int k = 0; k < Block - 1; ++k) {
    if (thread > k)
      tile[thread][k] /= tile[k][k];
    __syncthreads();
    if (thread > k)
      for (int y = k + 1; y < Block; ++y)
        tile[y][thread] -= tile[y][k] * tile[k][thread];
    __syncthreads();
  }
  for (int y = 0; y < Block; ++y)
    corner[y * N + thread] = tile[y][thread];
}

/// Blocks right of the diagonal (blockIdx.y = 0; a thread a column) and below it (1; a thread a
/// row).
__global__ static void perimeter(float *a, int step) {
  __shared__ float corner[Block][Block], tile[Block][Block + 1];
  int thread = threadIdx.x, other = step + 1 + blockIdx.x;
  float *mine = a + (blockIdx.y == 0 ? step * N + other : other * N + step) * Block;
  for (int y = 0; y < Block; ++y) {
    corner[y][thread] = a[step * Block * (N + 1) + y * N + thread];
    tile[y][thread] = mine[y * N + thread];
  }
  __syncthreads();
  if (blockIdx.y == 0) {
    for (int y = 1; y < Block; ++y)
      for (int k = 0; k < y; ++k)
        tile[y][thread] -= corner[y][k] * tile[k][thread];
  } else {
    for (int x = 0; x < Block; ++x) {
      for (int k = 0; k < x; ++k)
        tile[thread][x] -= tile[thread][k] * corner[k][x];
      tile[thread][x] /= corner[x][x];
    }
  }
  __syncthreads();
  for (int y = 0; y < Block; ++y)
    mine[y * N + thread] = tile[y][thread];
}

/// The blocks right of and below the diagonal: minus the product of the row's and the column's
/// block.
__global__ static void interior(float *a, int step) {
  __shared__ float left[Block][Block], top[Block][Block];
  int x = threadIdx.x, y = threadIdx.y;
  int row = (step + 1 + blockIdx.y) * Block, column = (step + 1 + blockIdx.x) * Block;
  float sums[Block / Rows] = {};
  for (int i = 0; i < Block; i += Rows) {
    left[y + i][x] = a[(row + y + i) * N + step * Block + x];
    top[y + i][x] = a[(step * Block + y + i) * N + column + x];
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < Block; ++k)
    for (int i = 0; i < Block / Rows; ++i)
      sums[i] += left[y + i * Rows][k] * top[k][x];
  for (int i = 0; i < Block / Rows; ++i)
    a[(row + y + i * Rows) * N + column + x] -= sums[i];
}

static void run(bench::Data &data) {
  float *a = data.get<float>(1);
  copy<<<N * N / 256, 256>>>(data.get<float>(0), a);
  for (int step = 0; step < Blocks; ++step) {
    unsigned rest = Blocks - step - 1;
    diagonal<<<1, Block>>>(a, step);
    if (rest == 0)
      break;
    perimeter<<<dim3(rest, 2), Block>>>(a, step);
    interior<<<dim3(rest, rest), dim3(Block, Rows)>>>(a, step);
  }
}

BENCHMARK("lu", problem, run)
