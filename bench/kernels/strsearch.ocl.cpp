// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "strsearch.h"

static void run(bench::Data &data) {
  using namespace strsearch;
  bench::opencl::launch("strsearch", "search", {(N + 255) / 256}, {256}, N, Length, data.arrays[0],
                        data.arrays[1], data.arrays[2]);
}

BENCHMARK("string_search", strsearch::problem, run)
