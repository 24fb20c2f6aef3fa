// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "montecarlo.h"

static void run(bench::Data &data) {
  using namespace montecarlo;
  bench::opencl::launch("montecarlo", "monteCarlo", {Threads / 128}, {128}, Darts, data.arrays[0]);
}

BENCHMARK("montecarlo_pi", montecarlo::problem, run)
