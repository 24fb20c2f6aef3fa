// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: chapter "General Purpose GPU Programming", section 7.5, figures 7.11 to 7.13 (matrix
// product with tiling).
//
// A block computes a tile of C. It walks along a row of tiles of A and down a column of tiles of B,
// and keeps the two current ones in shared memory, so that each element comes from global memory
// only n / Tile times. Neighbouring threads load neighbouring elements, which the hardware
// coalesces. The grid is rounded up; what lies outside is zero.
#include "matrix.h"

constexpr int Tile = 32;

/// The element of an n x n matrix, or zero outside of it.
__device__ float elementOrZero(const float *matrix, int row, int column, int n) {
  return row < n && column < n ? matrix[row * n + column] : 0.0f;
}

__global__ void matrixProductTiled(const float *A, const float *B, float *C, int n) {
  __shared__ float As[Tile][Tile];
  __shared__ float Bs[Tile][Tile];
  int row = blockIdx.y * Tile + threadIdx.y;
  int column = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < n; first += Tile) {
    As[threadIdx.y][threadIdx.x] = elementOrZero(A, row, first + threadIdx.x, n);
    Bs[threadIdx.y][threadIdx.x] = elementOrZero(B, first + threadIdx.y, column, n);
    __syncthreads();
    for (int e = 0; e < Tile; ++e)
      sum += As[threadIdx.y][e] * Bs[e][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n)
    C[row * n + column] = sum;
}

int main(int argc, char **argv) {
  std::vector<int> sizes = {12, 32, 33, 64, 95, 256};
  if (argc > 1)
    sizes = {std::atoi(argv[1])};
  for (int n : sizes)
    checkProduct("product with tiling", n, [](float *A, float *B, float *C, int n) {
      dim3 grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
      matrixProductTiled<<<grid, dim3(Tile, Tile)>>>(A, B, C, n);
    });
  return exitCode();
}
