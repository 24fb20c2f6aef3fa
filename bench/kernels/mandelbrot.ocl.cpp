// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "mandelbrot.h"

static void run(bench::Data &data) {
  using namespace mandelbrot;
  bench::opencl::launch("mandelbrot", "mandelbrot", {Width / 16, Height / 16}, {16, 16}, Width, Height, Limit,
                        data.arrays[0]);
}

BENCHMARK("mandelbrot", mandelbrot::problem, run)
