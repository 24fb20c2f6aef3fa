// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bfs.h"

using namespace bfs;

__global__ static void start(int *distances, int *queue, int *lengths) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  distances[i] = i == 0 ? 0 : -1;
  if (i <= MaxLevels)
    lengths[i] = i == 0;
  if (i == 0)
    queue[0] = 0;
}

__global__ static void expand(int level, const int *starts, const int *edges, int *distances, const int *queue,
                              int *next, int *lengths) {
  int length = lengths[level];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
    int node = queue[i];
    for (int e = starts[node]; e < starts[node + 1]; ++e) {
      int other = edges[e];
      if (*(volatile int *)&distances[other] < 0 && atomicCAS(&distances[other], -1, level + 1) == -1)
        next[atomicAdd(&lengths[level + 1], 1)] = other;
    }
  }
}

static void run(bench::Data &data) {
  int *distances = data.get<int>(2), *queues[] = {data.get<int>(3), data.get<int>(4)}, *lengths = data.get<int>(5);
  start<<<Nodes / Block, Block>>>(distances, queues[0], lengths);
  for (int level = 0; level < graph().levels; ++level)
    expand<<<Blocks, Block>>>(level, data.get<int>(0), data.get<int>(1), distances, queues[level % 2],
                              queues[(level + 1) % 2], lengths);
}

BENCHMARK("bfs", problem, run)
