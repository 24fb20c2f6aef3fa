// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "launch.h"

static void queued(bench::Data &) {
  for (int i = 0; i < launch::Queued; ++i)
    bench::opencl::launch("launch", "empty", {1}, {32});
}

static void waited(bench::Data &) {
  for (int i = 0; i < launch::Waited; ++i) {
    bench::opencl::launch("launch", "empty", {1}, {32});
    bench::synchronize();
  }
}

BENCHMARK("launch_queued", launch::queuedProblem, queued)
BENCHMARK("launch_wait", launch::waitedProblem, waited)
