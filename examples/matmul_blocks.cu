// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Matrix Multiplication Using Multiple Blocks".
//
// The product is cut into square tiles; a block computes a tile and a thread one element of it,
// reading a row of M and a column of N from global memory. The lecture's width is a multiple of the
// tile; here the grid is rounded up and the threads beyond the edge do nothing.
#include "matrix.h"

constexpr int TileWidth = 16;

__global__ void multiply(const float *m, const float *n, float *p, int width) {
  int row = blockIdx.y * TileWidth + threadIdx.y;
  int column = blockIdx.x * TileWidth + threadIdx.x;
  if (row >= width || column >= width)
    return;
  float value = 0;
  for (int k = 0; k < width; ++k)
    value += m[row * width + k] * n[k * width + column];
  p[row * width + column] = value;
}

int main(int argc, char **argv) {
  std::vector<int> widths = {1, 4, 15, 16, 17, 100, 256};
  if (argc > 1)
    widths = {std::atoi(argv[1])};
  for (int width : widths)
    checkProduct("product on several blocks", width, [](float *m, float *n, float *p, int width) {
      int tiles = (width + TileWidth - 1) / TileWidth;
      multiply<<<dim3(tiles, tiles), dim3(TileWidth, TileWidth)>>>(m, n, p, width);
    });
  return exitCode();
}
