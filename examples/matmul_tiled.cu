// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Matrix Multiplication using Shared Memory" (tiled multiply, for several
// tile widths as in "Tiling Size Effects").
//
// The loop over a row and a column is broken into phases. In each, the block loads one tile of M
// and one of N into shared memory, every thread one element of each, and then uses each element
// TileWidth times. Elements beyond the edge count as zero, so that any width works.
#include "matrix.h"

template <int TileWidth>
__global__ void multiplyTiled(const float *m, const float *n, float *p, int width) {
  __shared__ float tileM[TileWidth][TileWidth];
  __shared__ float tileN[TileWidth][TileWidth];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TileWidth + ty;
  int column = blockIdx.x * TileWidth + tx;

  float value = 0;
  for (int phase = 0; phase < (width + TileWidth - 1) / TileWidth; ++phase) {
    int k = phase * TileWidth;
    tileM[ty][tx] = row < width && k + tx < width ? m[row * width + k + tx] : 0;
    tileN[ty][tx] = k + ty < width && column < width ? n[(k + ty) * width + column] : 0;
    __syncthreads(); // the tiles are complete
    for (int i = 0; i < TileWidth; ++i)
      value += tileM[ty][i] * tileN[i][tx];
    __syncthreads(); // nobody reads them any more
  }
  if (row < width && column < width)
    p[row * width + column] = value;
}

template <int TileWidth> void run(int width) {
  char name[40];
  std::snprintf(name, sizeof name, "tiled product, %d x %d tiles", TileWidth, TileWidth);
  checkProduct(name, width, [](float *m, float *n, float *p, int width) {
    int tiles = (width + TileWidth - 1) / TileWidth;
    multiplyTiled<TileWidth><<<dim3(tiles, tiles), dim3(TileWidth, TileWidth)>>>(m, n, p, width);
  });
}

int main(int argc, char **argv) {
  std::vector<int> widths = {1, 4, 31, 32, 33, 100, 256};
  if (argc > 1)
    widths = {std::atoi(argv[1])};
  for (int width : widths) {
    run<4>(width);
    run<8>(width);
    run<12>(width); // a block whose rows do not fill whole warps
    run<16>(width);
    run<32>(width);
  }
  return exitCode();
}
