// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "radixsort.h"

using namespace radixsort::perItem;
using radixsort::problem;
using bench::opencl::launch;

static void run(bench::Data &data) {
  void *from = data.arrays[0], *counts = data.arrays[3];
  for (int pass = 0; pass < Passes; ++pass) {
    void *to = data.arrays[pass % 2 == 0 ? 2 : 1];
    launch("radixsort", "countDigits", {Tiles}, {Block}, pass * Bits, from, counts);
    launch("radixsort", "scanCounts", {1}, {ScanBlock}, counts);
    launch("radixsort", "scatter", {Tiles}, {Block}, pass * Bits, from, counts, to);
    from = to;
  }
}

BENCHMARK("radix_sort", problem, run)
