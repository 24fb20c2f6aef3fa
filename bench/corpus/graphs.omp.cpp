// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graphs.h"

using namespace graphs;
using bench::Data;

/// Shares are divided once a node, not once an edge.
static void pagerankRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1);
  float *ranks[] = {data.get<float>(2), data.get<float>(3)};
  static float shares[Nodes];
  std::fill(ranks[0], ranks[0] + Nodes, 1.0f / Nodes);
  for (int step = 0; step < RankSteps; step++) {
    const float *from = ranks[step % 2];
    float *to = ranks[(step + 1) % 2];
#pragma omp parallel for
    for (int node = 0; node < Nodes; node++)
      shares[node] = from[node] / (starts[node + 1] - starts[node]);
#pragma omp parallel for schedule(dynamic, 256)
    for (int node = 0; node < Nodes; node++) {
      float sum = 0;
      for (int e = starts[node]; e < starts[node + 1]; e++)
        sum += shares[edges[e]];
      to[node] = (1 - Damping) / Nodes + Damping * sum;
    }
  }
}

/// Pulls, so that no atomics are needed.
static void ssspRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1), *weights = data.get<int>(2);
  int *distances = data.get<int>(3);
  std::fill(distances, distances + Nodes, 1 << 29);
  distances[0] = 0;
  for (int step = 0; step < PathSteps; step++) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int node = 0; node < Nodes; node++) {
      int least = distances[node];
      for (int e = starts[node]; e < starts[node + 1]; e++)
        least = std::min(least, distances[edges[e]] + weights[e]);
      distances[node] = least;
    }
  }
}

static void componentsRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1);
  int *labels = data.get<int>(2);
  for (int node = 0; node < Nodes; node++)
    labels[node] = node;
  for (int step = 0; step < LabelSteps; step++) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int node = 0; node < Nodes; node++) {
      int least = labels[node];
      for (int e = starts[node]; e < starts[node + 1]; e++)
        least = std::min(least, labels[edges[e]]);
      labels[node] = least;
    }
#pragma omp parallel for
    for (int node = 0; node < Nodes; node++)
      while (labels[node] != labels[labels[node]])
        labels[node] = labels[labels[node]];
  }
}

static void colouringRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1), *priorities = data.get<int>(2);
  int *colours = data.get<int>(3);
  std::fill(colours, colours + Nodes, -1);
  for (int step = 0; step < Colours; step++) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int node = 0; node < Nodes; node++) {
      if (colours[node] != -1)
        continue;
      bool greatest = true;
      for (int e = starts[node]; greatest && e < starts[node + 1]; e++) {
        int other = edges[e], theirs = colours[other];
        bool counts = theirs == -1 || theirs == step;
        greatest = !counts || priorities[other] < priorities[node] ||
                   (priorities[other] == priorities[node] && other < node);
      }
      if (greatest)
        colours[node] = step;
    }
  }
}

static void trianglesRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1);
  int *counts = data.get<int>(2);
#pragma omp parallel for schedule(dynamic, 64)
  for (int node = 0; node < Nodes; node++) {
    int count = 0, last = starts[node + 1];
    for (int e = starts[node]; e < last; e++) {
      int a = starts[node], b = starts[edges[e]], end = starts[edges[e] + 1];
      while (a < last && b < end) {
        int mine = edges[a], theirs = edges[b];
        count += mine == theirs;
        a += mine <= theirs;
        b += theirs <= mine;
      }
    }
    counts[node] = count / 2;
  }
}

static void bfsRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1);
  int *costs = data.get<int>(5);
  std::fill(costs, costs + Nodes, -1);
  costs[0] = 0;
  for (int level = 0; level < PathSteps; level++) {
#pragma omp parallel for schedule(dynamic, 256)
    for (int node = 0; node < Nodes; node++)
      if (costs[node] == level)
        for (int e = starts[node]; e < starts[node + 1]; e++)
          if (costs[edges[e]] < 0)
            costs[edges[e]] = level + 1;
  }
}

static void kcoreRun(Data &data) {
  const int *starts = data.get<int>(0), *edges = data.get<int>(1);
  int *degrees = data.get<int>(3), *alive = data.get<int>(4), *leaving = data.get<int>(5);
  for (int node = 0; node < Nodes; node++) {
    degrees[node] = starts[node + 1] - starts[node];
    alive[node] = 1;
  }
  for (int step = 0; step < CoreSteps; step++) {
#pragma omp parallel for
    for (int node = 0; node < Nodes; node++) {
      leaving[node] = alive[node] & (degrees[node] < CoreDegree);
      alive[node] -= leaving[node];
    }
#pragma omp parallel for schedule(dynamic, 256)
    for (int node = 0; node < Nodes; node++)
      if (leaving[node])
        for (int e = starts[node]; e < starts[node + 1]; e++) {
#pragma omp atomic
          degrees[edges[e]]--;
        }
  }
}

BENCHMARK("pagerank", pagerank, pagerankRun)
BENCHMARK("sssp", sssp, ssspRun)
BENCHMARK("components", components, componentsRun)
BENCHMARK("colouring", colouring, colouringRun)
BENCHMARK("triangles", triangles, trianglesRun)
BENCHMARK("bfs_masks", bfsMasks, bfsRun)
BENCHMARK("kcore", kcore, kcoreRun)
