// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 4.3 (matrix product, global memory).
//
// A two-dimensional grid of two-dimensional blocks: x is the column and y the row of the thread's
// element. The time includes nothing but the kernel. `matmul_global 1024` is the course's size.
#include "matrix.h"

constexpr int BlockWidth = 32;

__global__ void multiply(const float *m, const float *n, float *p, int width) {
  int x = threadIdx.x + blockIdx.x * blockDim.x;
  int y = threadIdx.y + blockIdx.y * blockDim.y;
  if (x >= width || y >= width)
    return;
  float value = 0;
  for (int k = 0; k < width; ++k)
    value += m[y * width + k] * n[k * width + x];
  p[y * width + x] = value;
}

int main(int argc, char **argv) {
  std::vector<int> widths = {1, 32, 50, 256};
  if (argc > 1)
    widths = {std::atoi(argv[1])};
  for (int width : widths)
    checkProduct("product from global memory", width, [](float *m, float *n, float *p, int width) {
      int blocks = (width + BlockWidth - 1) / BlockWidth;
      multiply<<<dim3(blocks, blocks), dim3(BlockWidth, BlockWidth)>>>(m, n, p, width);
    });
  return exitCode();
}
