// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Breadth-first search, level by level, on a random graph in compressed rows: whoever reaches a
// node first puts it into the next level's queue. How many levels there are is known here, so that
// a run needs no wait. Items are edges.
#pragma once

#include "../harness/bench.h"

namespace bfs {
constexpr int Nodes = 1 << 18;
constexpr int Degree = 8; // on average: 1 to 15
constexpr int Block = 256, Blocks = 256;
constexpr int MaxLevels = 64;

struct Graph {
  std::vector<int> starts, edges;
  int levels = 0; ///< nodes are at distance 0 to levels - 1
};

inline int countLevels(const Graph &graph) {
  std::vector<int> distances(Nodes, -1), queue{0};
  distances[0] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int e = graph.starts[queue[i]]; e < graph.starts[queue[i] + 1]; ++e)
      if (distances[graph.edges[e]] < 0) {
        distances[graph.edges[e]] = distances[queue[i]] + 1;
        queue.push_back(graph.edges[e]);
      }
  return distances[queue.back()] + 1;
}

inline Graph makeGraph() {
  bench::Random random(5);
  Graph graph;
  graph.starts.push_back(0);
  for (int node = 0; node < Nodes; ++node) {
    int count = 1 + random.next() % (2 * Degree - 1);
    for (int i = 0; i < count; ++i)
      graph.edges.push_back(random.next() % Nodes);
    graph.starts.push_back(int(graph.edges.size()));
  }
  graph.levels = countLevels(graph);
  return graph;
}

inline const Graph &graph() {
  static const Graph one = makeGraph();
  return one;
}

/// Row starts, edges, distances, the queues of even and of odd levels, their lengths.
inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(graph().edges.size())};
  problem.tolerance = 0;
  return problem.input(graph().starts)
      .input(graph().edges)
      .output<int>(Nodes)
      .scratch<int>(Nodes)
      .scratch<int>(Nodes)
      .scratch<int>(MaxLevels + 1);
}
} // namespace bfs
