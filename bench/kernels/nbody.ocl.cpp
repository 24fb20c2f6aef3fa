// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "nbody.h"

static void run(bench::Data &data) {
  using namespace nbody;
  bench::opencl::launch("nbody", "nbody", {N / Tile}, {Tile}, N, Softening, data.arrays[0], data.arrays[1]);
}

BENCHMARK("nbody", nbody::problem, run)
