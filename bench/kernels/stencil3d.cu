// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil3d.h"

using namespace stencil3d;

__device__ static bool isInside(int n, int x, int y, int z) {
  return x > 0 && x < n - 1 && y > 0 && y < n - 1 && z > 0 && z < n - 1;
}

__global__ static void stencil7(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
  if (x >= n || y >= n || z >= n)
    return;
  int i = (z * n + y) * n + x, plane = n * n;
  if (isInside(n, x, y, z))
    out[i] = 0.4f * in[i] +
             0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
  else
    out[i] = in[i];
}

/// n is a multiple of the tile; the rim of the tile is loaded by the threads at its sides.
__global__ static void stencil7Shared(int n, const float *in, float *out) {
  __shared__ float tile[TileY + 2][TileX + 2];
  int x = blockIdx.x * TileX + threadIdx.x, y = blockIdx.y * TileY + threadIdx.y;
  int tileX = threadIdx.x + 1, tileY = threadIdx.y + 1;
  int first = blockIdx.z * Steps, plane = n * n, i = (first * n + y) * n + x;
  float below = first > 0 ? in[i - plane] : 0, here = in[i];
  for (int z = first; z < first + Steps; ++z, i += plane) {
    float above = z < n - 1 ? in[i + plane] : 0;
    tile[tileY][tileX] = here;
    if (threadIdx.x == 0 && x > 0)
      tile[tileY][0] = in[i - 1];
    if (threadIdx.x == TileX - 1 && x < n - 1)
      tile[tileY][TileX + 1] = in[i + 1];
    if (threadIdx.y == 0 && y > 0)
      tile[0][tileX] = in[i - n];
    if (threadIdx.y == TileY - 1 && y < n - 1)
      tile[TileY + 1][tileX] = in[i + n];
    __syncthreads();
    out[i] = isInside(n, x, y, z)
                 ? 0.4f * here + 0.1f * (tile[tileY][tileX - 1] + tile[tileY][tileX + 1] +
                                         tile[tileY - 1][tileX] + tile[tileY + 1][tileX] + below + above)
                 : here;
    __syncthreads();
    below = here;
    here = above;
  }
}

static void run(bench::Data &data) {
  stencil7<<<dim3(N / TileX, N / TileY, N), dim3(TileX, TileY)>>>(N, data.get<float>(0), data.get<float>(1));
}

static void runShared(bench::Data &data) {
  stencil7Shared<<<dim3(N / TileX, N / TileY, N / Steps), dim3(TileX, TileY)>>>(N, data.get<float>(0),
                                                                                data.get<float>(1));
}

BENCHMARK("stencil_3d", problem, run)
BENCHMARK("stencil_3d_shared", problem, runShared)
