// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "saxpy.h"

static void run(bench::Data &data) {
  using namespace saxpy;
  bench::opencl::launch("saxpy", "saxpy", {(N + 255) / 256}, {256}, N, A, data.arrays[0], data.arrays[1],
                        data.arrays[2]);
}

BENCHMARK("saxpy", saxpy::problem, run)
