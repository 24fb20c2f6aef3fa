// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mandelbrot.h"

static void run(bench::Data &data) {
  using namespace mandelbrot;
  int *counts = data.get<int>(0);
#pragma omp parallel for schedule(dynamic)
  for (int y = 0; y < Height; ++y)
    for (int x = 0; x < Width; ++x) {
      float cx = -2.0f + 3.0f * x / Width, cy = -1.125f + 2.25f * y / Height;
      float zx = 0, zy = 0;
      int count = 0;
      while (count < Limit && zx * zx + zy * zy < 4.0f) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        ++count;
      }
      counts[y * Width + x] = count;
    }
}

BENCHMARK("mandelbrot", mandelbrot::problem, run)
