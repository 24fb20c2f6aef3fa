// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "blackscholes.h"

static void run(bench::Data &data) {
  using namespace blackscholes;
  bench::opencl::launch("blackscholes", "blackScholes", {(N + 127) / 128}, {128}, N, Rate, Volatility,
                        data.arrays[0], data.arrays[1], data.arrays[2], data.arrays[3], data.arrays[4]);
}

BENCHMARK("blackscholes", blackscholes::problem, run)
