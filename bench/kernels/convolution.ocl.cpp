// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "convolution.h"

static void run(bench::Data &data) {
  using namespace convolution;
  bench::opencl::launch("convolution", "convolve", {(N + 255) / 256}, {256}, N, data.arrays[1], data.arrays[0],
                        data.arrays[2]);
}

BENCHMARK("convolution_1d", convolution::problem, run)
