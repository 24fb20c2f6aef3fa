// RUN: %heddle cc %s -o %t
// RUN: %widths(128) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that walk along the edges of a node each, claim nodes by a compare-and-swap and put them into a queue: several
// warps of a block may do so as one program. Nodes without edges, with one and with many; grids with too few threads and
// with too many, blocks of odd sizes. And threads that wait for a node in such a loop, which no other warp may hold up.
#include "support.h"

struct Graph {
  std::vector<int> starts{0}, edges;
};

static Graph makeGraph(int nodes, int most, int seed) {
  Random random(seed);
  Graph graph;
  for (int node = 0; node < nodes; ++node) {
    for (int i = random.below(most + 1); i > 0; --i)
      graph.edges.push_back(random.below(nodes));
    if (node + 1 < nodes && random.below(2)) // most are reached
      graph.edges.push_back(node + 1);
    graph.starts.push_back(int(graph.edges.size()));
  }
  return graph;
}

__global__ void expand(int level, const int *starts, const int *edges, int *distances, const int *queue, int *next,
                       int *lengths) {
  int length = lengths[level];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < length; i += gridDim.x * blockDim.x) {
    int node = queue[i];
    for (int e = starts[node]; e < starts[node + 1]; ++e) {
      int other = edges[e];
      if (distances[other] < 0 && atomicCAS(&distances[other], -1, level + 1) == -1)
        next[atomicAdd(&lengths[level + 1], 1)] = other;
    }
  }
}

/// Each thread takes numbers until all of its row are taken: the loop's end depends on what other threads do.
__global__ void takeTurns(int rows, const int *starts, int *turns, int *order) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  int e = starts[row];
  while (e < starts[row + 1])
    if (atomicCAS(&turns[0], e, e + 1) == e) {
      order[e] = row;
      ++e;
    }
}

static void checkGraph(int nodes, int most, int blocks, int threads) {
  Graph graph = makeGraph(nodes, most, nodes + most);
  std::vector<int> distances(nodes, -1), queue{0};
  distances[0] = 0;
  for (size_t i = 0; i < queue.size(); ++i)
    for (int e = graph.starts[queue[i]]; e < graph.starts[queue[i] + 1]; ++e)
      if (distances[graph.edges[e]] < 0) {
        distances[graph.edges[e]] = distances[queue[i]] + 1;
        queue.push_back(graph.edges[e]);
      }
  int levels = distances[queue.back()] + 1;
  std::vector<int> lengths(levels + 1);
  for (int node : queue)
    ++lengths[distances[node]];

  std::vector<int> first(nodes, -1), firstLengths(levels + 1);
  first[0] = 0;
  firstLengths[0] = 1;
  graph.edges.push_back(0); // none may be empty
  Buffer<int> starts(graph.starts), edges(graph.edges), deviceDistances(first), deviceLengths(firstLengths);
  Buffer<int> queues[] = {Buffer<int>(nodes), Buffer<int>(nodes)};
  for (int level = 0; level < levels; ++level)
    expand<<<blocks, threads>>>(level, starts, edges, deviceDistances, queues[level % 2], queues[(level + 1) % 2],
                                deviceLengths);
  checkLaunch();
  std::string name = std::to_string(nodes) + " nodes, " + std::to_string(threads) + " threads";
  expectAll(name + " distances", deviceDistances.get(), distances);
  expectAll(name + " lengths", deviceLengths.get(), lengths);
}

static void checkTurns(int rows, int threads) {
  Random random(rows);
  std::vector<int> starts{0}, order;
  for (int row = 0; row < rows; ++row) {
    order.insert(order.end(), random.below(4), row);
    starts.push_back(int(order.size()));
  }
  Buffer<int> deviceStarts(starts), turns(1), deviceOrder(order.size() + 1);
  takeTurns<<<(rows + threads - 1) / threads, threads>>>(rows, deviceStarts, turns, deviceOrder);
  checkLaunch();
  std::vector<int> got = deviceOrder.get();
  got.pop_back();
  expectAll("turns of " + std::to_string(rows), got, order);
}

int main() {
  checkGraph(1000, 5, 1, 256);
  checkGraph(1000, 40, 3, 100);
  checkGraph(5000, 1, 40, 256);
  checkGraph(3001, 9, 2, 31);
  checkGraph(40, 3, 8, 512);
  checkTurns(30, 32);
  checkTurns(200, 256);
  return finish();
}
