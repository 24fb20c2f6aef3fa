// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "triad.h"

static void run(bench::Data &data) {
  bench::opencl::launch("triad", "triad", {triad::Blocks}, {256}, triad::N, data.arrays[0], data.arrays[1],
                        data.arrays[2]);
}

BENCHMARK("triad", triad::problem, run)
