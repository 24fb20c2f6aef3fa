// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "bitonic.h"

static void run(bench::Data &data) {
  using namespace bitonic;
  bench::opencl::launch("bitonic", "bitonicSort", {N / Piece}, {Piece / 2}, data.arrays[0], data.arrays[1]);
}

BENCHMARK("bitonic_sort", bitonic::problem, run)
