// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "matmul.h"

__global__ static void matmulNaive(int n, const float *a, const float *b, float *c) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <int Tile> __global__ static void matmulTiled(int n, const float *a, const float *b, float *c) {
  __shared__ float tileA[Tile][Tile], tileB[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  int column = blockIdx.x * Tile + x, row = blockIdx.y * Tile + y;
  float sum = 0;
  for (int start = 0; start < n; start += Tile) {
    tileA[y][x] = a[row * n + start + x];
    tileB[y][x] = b[(start + y) * n + column];
    __syncthreads();
    for (int k = 0; k < Tile; ++k)
      sum += tileA[y][k] * tileB[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

static void naive(bench::Data &data) {
  using namespace matmul;
  matmulNaive<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(N, data.get<float>(0), data.get<float>(1),
                                                      data.get<float>(2));
}

template <int Tile> static void tiled(bench::Data &data) {
  using namespace matmul;
  matmulTiled<Tile><<<dim3(N / Tile, N / Tile), dim3(Tile, Tile)>>>(N, data.get<float>(0), data.get<float>(1),
                                                                    data.get<float>(2));
}

BENCHMARK("matmul_naive", matmul::problem, naive)
BENCHMARK("matmul_tiled16", matmul::problem, tiled<16>)
BENCHMARK("matmul_tiled32", matmul::problem, tiled<32>)
