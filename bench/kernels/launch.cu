// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.h"

__global__ static void empty() {}

static void queued(bench::Data &) {
  for (int i = 0; i < launch::Queued; ++i)
    empty<<<1, 32>>>();
}

static void waited(bench::Data &) {
  for (int i = 0; i < launch::Waited; ++i) {
    empty<<<1, 32>>>();
    cudaDeviceSynchronize();
  }
}

BENCHMARK("launch_queued", launch::queuedProblem, queued)
BENCHMARK("launch_wait", launch::waitedProblem, waited)
