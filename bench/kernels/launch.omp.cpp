// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.h"

static void regions(int count) {
  for (int i = 0; i < count; ++i) {
#pragma omp parallel
    {
      asm volatile("");
    }
  }
}

static void queued(bench::Data &) { regions(launch::Queued); }
static void waited(bench::Data &) { regions(launch::Waited); }

BENCHMARK("launch_queued", launch::queuedProblem, queued)
BENCHMARK("launch_wait", launch::waitedProblem, waited)
