// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "raytrace.h"

static void run(bench::Data &data) {
  using namespace raytrace;
  bench::opencl::launch("raytrace", "raytrace", {Width / 16, Height / 16}, {16, 16}, Width, Height,
                        data.arrays[0], data.arrays[1]);
}

BENCHMARK("raytrace", raytrace::problem, run)
