// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bfs.h"

#include <omp.h>

using namespace bfs;

/// Found nodes, kept by a thread until there are enough to take a piece of the common queue.
struct Found {
  int nodes[1024], count = 0;

  void flush(int *queue, int *length) {
    int at = __atomic_fetch_add(length, count, __ATOMIC_RELAXED);
    std::memcpy(queue + at, nodes, count * sizeof(int));
    count = 0;
  }
};

static void run(bench::Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1);
  int *distances = data.get<int>(2), *queues[] = {data.get<int>(3), data.get<int>(4)}, *lengths = data.get<int>(5);
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < Nodes; ++i)
      distances[i] = i == 0 ? 0 : -1;
#pragma omp single
    {
      std::memset(lengths, 0, (MaxLevels + 1) * sizeof(int));
      lengths[0] = 1;
      queues[0][0] = 0;
    }
    for (int level = 0; level < graph().levels; ++level) {
      const int *queue = queues[level % 2];
      int *next = queues[(level + 1) % 2];
      Found found;
#pragma omp for schedule(dynamic, 512) nowait
      for (int i = 0; i < lengths[level]; ++i)
        for (int e = starts[queue[i]]; e < starts[queue[i] + 1]; ++e) {
          int other = edges[e], unseen = -1;
          if (__atomic_load_n(&distances[other], __ATOMIC_RELAXED) < 0 &&
              __atomic_compare_exchange_n(&distances[other], &unseen, level + 1, false, __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED)) {
            found.nodes[found.count++] = other;
            if (found.count == 1024)
              found.flush(next, &lengths[level + 1]);
          }
        }
      found.flush(next, &lengths[level + 1]);
#pragma omp barrier
    }
  }
}

BENCHMARK("bfs", problem, run)
