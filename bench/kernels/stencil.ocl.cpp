// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "stencil.h"

static void run(bench::Data &data) {
  using stencil::N;
  bench::opencl::launch("stencil", "stencil5", {N / 32, N / 8}, {32, 8}, N, data.arrays[0], data.arrays[1]);
}

BENCHMARK("stencil_2d", stencil::problem, run)
