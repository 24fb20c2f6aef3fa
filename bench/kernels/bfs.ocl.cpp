// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "bfs.h"

using namespace bfs;

static void run(bench::Data &data) {
  void *distances = data.arrays[2], *queues[] = {data.arrays[3], data.arrays[4]}, *lengths = data.arrays[5];
  bench::opencl::launch("bfs", "start", {Nodes / Block}, {Block}, distances, queues[0], lengths);
  for (int level = 0; level < graph().levels; ++level)
    bench::opencl::launch("bfs", "expand", {Blocks}, {Block}, level, data.arrays[0], data.arrays[1], distances,
                          queues[level % 2], queues[(level + 1) % 2], lengths);
}

BENCHMARK("bfs", problem, run)
