// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "kmeans.h"

using namespace kmeans;
using bench::opencl::launch;

static void run(bench::Data &data) {
  void *centres = data.arrays[2], *sums = data.arrays[4];
  launch("kmeans", "start", {1}, {Block}, data.arrays[1], centres, sums);
  for (int round = 0; round < Rounds; ++round) {
    launch("kmeans", "assign", {Points / Block}, {Block}, Points, data.arrays[0], centres, data.arrays[3], sums);
    launch("kmeans", "move", {1}, {Centres}, centres, sums);
  }
}

BENCHMARK("kmeans", problem, run)
