// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mandelbrot.h"

__global__ static void mandelbrotKernel(int width, int height, int limit, int *counts) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float cx = -2.0f + 3.0f * x / width, cy = -1.125f + 2.25f * y / height;
  float zx = 0, zy = 0;
  int count = 0;
  while (count < limit && zx * zx + zy * zy < 4.0f) {
    float next = zx * zx - zy * zy + cx;
    zy = 2 * zx * zy + cy;
    zx = next;
    ++count;
  }
  counts[y * width + x] = count;
}

static void run(bench::Data &data) {
  using namespace mandelbrot;
  mandelbrotKernel<<<dim3(Width / 16, Height / 16), dim3(16, 16)>>>(Width, Height, Limit, data.get<int>(0));
}

BENCHMARK("mandelbrot", mandelbrot::problem, run)
