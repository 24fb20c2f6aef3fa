// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "lu.h"

using namespace lu;
using bench::opencl::launch;

static void run(bench::Data &data) {
  void *a = data.arrays[1];
  launch("lu", "copy", {N * N / 256}, {256}, data.arrays[0], a);
  for (int step = 0; step < Blocks; ++step) {
    size_t rest = Blocks - step - 1;
    launch("lu", "diagonal", {1}, {Block}, a, step);
    if (rest == 0)
      break;
    launch("lu", "perimeter", {rest, 2}, {Block}, a, step);
    launch("lu", "interior", {rest, rest}, {Block, Rows}, a, step);
  }
}

BENCHMARK("lu", problem, run)
