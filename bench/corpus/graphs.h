// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs in compressed rows, with as many launches as this graph needs: what a host would find out
// by a flag that it reads back is counted here once, so that a run needs no wait. Degrees are
// uneven: a few nodes have many neighbours.
#pragma once

#include "corpus.h"

#include <algorithm>

namespace graphs {
using namespace corpus;
using bench::Problem;

constexpr int Nodes = 9001;
constexpr int Degree = 5;
constexpr int RankSteps = 5, PathSteps = 12, LabelSteps = 12, Colours = 40;
constexpr float Damping = 0.85f;

struct Graph {
  std::vector<int> starts{0}, edges;
  std::vector<int> sources; ///< of each edge
};

/// Undirected, each neighbour once, neighbours in order.
inline Graph makeGraph() {
  bench::Random random(5);
  std::vector<std::vector<int>> neighbours(Nodes);
  for (int node = 0; node < Nodes; ++node)
    for (int i = node % 97 == 0 ? 20 * Degree : 1 + random.below(Degree); i > 0; --i) {
      int other = random.below(Nodes);
      if (other == node)
        continue;
      neighbours[node].push_back(other);
      neighbours[other].push_back(node);
    }
  Graph graph;
  for (int node = 0; node < Nodes; ++node) {
    std::vector<int> &mine = neighbours[node];
    std::sort(mine.begin(), mine.end());
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    graph.edges.insert(graph.edges.end(), mine.begin(), mine.end());
    graph.sources.insert(graph.sources.end(), mine.size(), node);
    graph.starts.push_back(int(graph.edges.size()));
  }
  return graph;
}

inline const Graph &graph() {
  static const Graph one = makeGraph();
  return one;
}
inline int edgeCount() { return int(graph().edges.size()); }

/// Row starts, edges.
inline Problem edges(double passes, double tolerance = 0) {
  return items(passes * edgeCount(), tolerance).input(graph().starts).input(graph().edges);
}

/// Ranks of even and odd steps; the last is the result.
inline Problem pagerank() {
  return edges(RankSteps, floatError(200 * RankSteps)).scratch<float>(Nodes).output<float>(Nodes);
}

/// Weights, distances from node 0.
inline Problem sssp() {
  std::vector<int> weights(edgeCount());
  for (int e = 0; e < edgeCount(); ++e) // the same both ways
    weights[e] = 1 + (graph().sources[e] * 7 ^ graph().edges[e] * 7) % 31;
  return edges(PathSteps).input(weights).output<int>(Nodes);
}

/// Labels: the least node of each component.
inline Problem components() { return edges(LabelSteps).output<int>(Nodes); }

/// Priorities, colours.
inline Problem colouring() {
  return edges(Colours).input(randomInts(Nodes, 1 << 30, 3)).output<int>(Nodes);
}

/// Triangles at each node.
inline Problem triangles() { return edges(Degree).output<int>(Nodes); }

/// Masks of this front and the next, visited, costs.
inline Problem bfsMasks() {
  return edges(PathSteps)
      .scratch<unsigned char>(Nodes)
      .scratch<unsigned char>(Nodes)
      .scratch<unsigned char>(Nodes)
      .output<int>(Nodes);
}

/// Sources of edges, what is left of degrees, in the core (1) or not.
constexpr int CoreDegree = 6, CoreSteps = 10;
inline Problem kcore() {
  return edges(CoreSteps)
      .input(graph().sources)
      .scratch<int>(Nodes)
      .output<int>(Nodes)
      .scratch<int>(Nodes);
}
} // namespace graphs
