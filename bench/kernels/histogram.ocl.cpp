// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "histogram.h"

using namespace histogram;

static void shared(bench::Data &data) {
  bench::opencl::launch("histogram", "clearBins", {1}, {Bins}, data.arrays[1]);
  bench::opencl::launch("histogram", "histogramShared", {Blocks}, {Block}, N, data.arrays[0], data.arrays[1]);
}

static void global(bench::Data &data) {
  bench::opencl::launch("histogram", "clearBins", {1}, {Bins}, data.arrays[1]);
  bench::opencl::launch("histogram", "histogramGlobal", {Blocks}, {Block}, N, data.arrays[0], data.arrays[1]);
}

BENCHMARK("histogram_shared", problem, shared)
BENCHMARK("histogram_global", problem, global)
