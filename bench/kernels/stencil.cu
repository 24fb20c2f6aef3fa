// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil.h"

using namespace stencil;

__global__ static void stencil5(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int i = y * n + x;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  else if (x < n && y < n)
    out[i] = in[i];
}

/// Each thread loads its cell; those at a side of the tile also load the cell beyond it.
__global__ static void stencil5Shared(int n, const float *in, float *out) {
  __shared__ float tile[TileY + 2][TileX + 2];
  int x = blockIdx.x * TileX + threadIdx.x, y = blockIdx.y * TileY + threadIdx.y;
  int tileX = threadIdx.x + 1, tileY = threadIdx.y + 1, i = y * n + x;
  if (x < n && y < n) {
    tile[tileY][tileX] = in[i];
    if (threadIdx.x == 0 && x > 0)
      tile[tileY][0] = in[i - 1];
    if (threadIdx.x == TileX - 1 && x < n - 1)
      tile[tileY][TileX + 1] = in[i + 1];
    if (threadIdx.y == 0 && y > 0)
      tile[0][tileX] = in[i - n];
    if (threadIdx.y == TileY - 1 && y < n - 1)
      tile[TileY + 1][tileX] = in[i + n];
  }
  __syncthreads();
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[i] = 0.5f * tile[tileY][tileX] + 0.125f * (tile[tileY][tileX - 1] + tile[tileY][tileX + 1] +
                                                   tile[tileY - 1][tileX] + tile[tileY + 1][tileX]);
  else if (x < n && y < n)
    out[i] = tile[tileY][tileX];
}

static void run(bench::Data &data) {
  stencil5<<<dim3(N / TileX, N / TileY), dim3(TileX, TileY)>>>(N, data.get<float>(0), data.get<float>(1));
}

static void runShared(bench::Data &data) {
  stencil5Shared<<<dim3(N / TileX, N / TileY), dim3(TileX, TileY)>>>(N, data.get<float>(0),
                                                                     data.get<float>(1));
}

BENCHMARK("stencil_2d", problem, run)
BENCHMARK("stencil_2d_shared", problem, runShared)
