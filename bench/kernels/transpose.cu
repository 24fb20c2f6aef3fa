// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose.h"

using transpose::Tile;

__global__ static void transposeNaive(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}

/// 32 x 8 threads, each four elements; the odd row length keeps columns out of one bank.
__global__ static void transposeTiled(int n, const float *in, float *out) {
  __shared__ float tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += 8)
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += 8)
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

static void naive(bench::Data &data) {
  using namespace transpose;
  transposeNaive<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(N, data.get<float>(0), data.get<float>(1));
}

static void tiled(bench::Data &data) {
  using namespace transpose;
  transposeTiled<<<dim3(N / Tile, N / Tile), dim3(Tile, 8)>>>(N, data.get<float>(0), data.get<float>(1));
}

BENCHMARK("transpose_naive", transpose::problem, naive)
BENCHMARK("transpose_tiled", transpose::problem, tiled)
