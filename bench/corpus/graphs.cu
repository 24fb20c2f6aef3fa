// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "graphs.h"

using namespace graphs;
using bench::Data;

constexpr int Block = 128;
static const unsigned NodeBlocks = cover(Nodes, Block);

__global__ static void fillFloats(int n, float value, float *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = value;
}

/// A node pulls from its neighbours.
__global__ static void rankStep(int n, float damping, const int *starts, const int *edges,
                                const float *from, float *to) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n)
    return;
  float sum = 0;
  for (int e = starts[node]; e < starts[node + 1]; e++) {
    int other = edges[e];
    sum += from[other] / (starts[other + 1] - starts[other]);
  }
  to[node] = (1 - damping) / n + damping * sum;
}

static void pagerankRun(Data &data) {
  float *ranks[] = {data.get<float>(2), data.get<float>(3)};
  fillFloats<<<NodeBlocks, Block>>>(Nodes, 1.0f / Nodes, ranks[0]);
  for (int step = 0; step < RankSteps; step++)
    rankStep<<<NodeBlocks, Block>>>(Nodes, Damping, data.get<int>(0), data.get<int>(1),
                                    ranks[step % 2], ranks[(step + 1) % 2]);
}

__global__ static void farAway(int n, int *distances) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    distances[i] = i == 0 ? 0 : 1 << 29;
}

/// A node pushes its distance over its edges.
__global__ static void relax(int n, const int *starts, const int *edges, const int *weights,
                             int *distances) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n || distances[node] == 1 << 29)
    return;
  int mine = distances[node];
  for (int e = starts[node]; e < starts[node + 1]; e++)
    atomicMin(&distances[edges[e]], mine + weights[e]);
}

static void ssspRun(Data &data) {
  int *distances = data.get<int>(3);
  farAway<<<NodeBlocks, Block>>>(Nodes, distances);
  for (int step = 0; step < PathSteps; step++)
    relax<<<NodeBlocks, Block>>>(Nodes, data.get<int>(0), data.get<int>(1), data.get<int>(2),
                                 distances);
}

__global__ static void ownLabel(int n, int *labels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    labels[i] = i;
}

__global__ static void hook(int n, const int *starts, const int *edges, int *labels) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n)
    return;
  int least = labels[node];
  for (int e = starts[node]; e < starts[node + 1]; e++)
    least = min(least, labels[edges[e]]);
  if (least < labels[node])
    atomicMin(&labels[node], least);
}

__global__ static void jump(int n, int *labels) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n)
    return;
  int label = labels[node];
  while (label != labels[label])
    label = labels[label];
  labels[node] = label;
}

static void componentsRun(Data &data) {
  int *labels = data.get<int>(2);
  ownLabel<<<NodeBlocks, Block>>>(Nodes, labels);
  for (int step = 0; step < LabelSteps; step++) {
    hook<<<NodeBlocks, Block>>>(Nodes, data.get<int>(0), data.get<int>(1), labels);
    jump<<<NodeBlocks, Block>>>(Nodes, labels);
  }
}

__global__ static void fillInts(int n, int value, int *to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = value;
}

/// Nodes whose priority is the greatest among their neighbours without a colour get this step's.
__global__ static void colour(int n, int step, const int *starts, const int *edges,
                              const int *priorities, int *colours) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n || colours[node] != -1)
    return;
  bool greatest = true;
  for (int e = starts[node]; e < starts[node + 1]; e++) {
    int other = edges[e], theirs = colours[other];
    if (theirs != -1 && theirs != step)
      continue;
    if (priorities[other] > priorities[node] ||
        (priorities[other] == priorities[node] && other > node))
      greatest = false;
  }
  if (greatest)
    colours[node] = step;
}

static void colouringRun(Data &data) {
  fillInts<<<NodeBlocks, Block>>>(Nodes, -1, data.get<int>(3));
  for (int step = 0; step < Colours; step++)
    colour<<<NodeBlocks, Block>>>(Nodes, step, data.get<int>(0), data.get<int>(1), data.get<int>(2),
                                  data.get<int>(3));
}

/// Merges the sorted neighbours of both ends of each edge.
__global__ static void triangleKernel(int n, const int *starts, const int *edges, int *counts) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n)
    return;
  int count = 0;
  for (int e = starts[node]; e < starts[node + 1]; e++) {
    int other = edges[e];
    int a = starts[node], b = starts[other];
    while (a < starts[node + 1] && b < starts[other + 1]) {
      if (edges[a] == edges[b]) {
        count++;
        a++;
        b++;
      } else if (edges[a] < edges[b])
        a++;
      else
        b++;
    }
  }
  counts[node] = count / 2;
}

static void trianglesRun(Data &data) {
  triangleKernel<<<NodeBlocks, Block>>>(Nodes, data.get<int>(0), data.get<int>(1),
                                        data.get<int>(2));
}

/// Rodinia's form: masks of bytes, two kernels a level.
__global__ static void bfsStart(int n, unsigned char *front, unsigned char *next,
                                unsigned char *visited, int *costs) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n) {
    front[node] = visited[node] = node == 0;
    next[node] = 0;
    costs[node] = node == 0 ? 0 : -1;
  }
}

__global__ static void bfsExpand(int n, const int *starts, const int *edges, unsigned char *front,
                                 unsigned char *next, const unsigned char *visited, int *costs) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n && front[node]) {
    front[node] = 0;
    for (int e = starts[node]; e < starts[node + 1]; e++)
      if (!visited[edges[e]]) {
        costs[edges[e]] = costs[node] + 1;
        next[edges[e]] = 1;
      }
  }
}

__global__ static void bfsAdvance(int n, unsigned char *front, unsigned char *next,
                                  unsigned char *visited) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n && next[node]) {
    front[node] = 1;
    visited[node] = 1;
    next[node] = 0;
  }
}

static void bfsRun(Data &data) {
  unsigned char *front = data.get<unsigned char>(2), *next = data.get<unsigned char>(3);
  unsigned char *visited = data.get<unsigned char>(4);
  bfsStart<<<NodeBlocks, Block>>>(Nodes, front, next, visited, data.get<int>(5));
  for (int level = 0; level < PathSteps; level++) {
    bfsExpand<<<NodeBlocks, Block>>>(Nodes, data.get<int>(0), data.get<int>(1), front, next,
                                     visited, data.get<int>(5));
    bfsAdvance<<<NodeBlocks, Block>>>(Nodes, front, next, visited);
  }
}

__global__ static void coreStart(int n, const int *starts, int *degrees, int *alive, int *leaving) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n) {
    degrees[node] = starts[node + 1] - starts[node];
    alive[node] = 1;
    leaving[node] = 0;
  }
}

__global__ static void coreLeave(int n, int least, const int *degrees, int *alive, int *leaving) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n) {
    leaving[node] = alive[node] && degrees[node] < least;
    if (leaving[node])
      alive[node] = 0;
  }
}

/// A thread an edge.
__global__ static void coreCount(int count, const int *sources, const int *edges,
                                 const int *leaving, int *degrees) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e < count && leaving[sources[e]])
    atomicSub(&degrees[edges[e]], 1);
}

static void kcoreRun(Data &data) {
  int *degrees = data.get<int>(3), *alive = data.get<int>(4), *leaving = data.get<int>(5);
  coreStart<<<NodeBlocks, Block>>>(Nodes, data.get<int>(0), degrees, alive, leaving);
  for (int step = 0; step < CoreSteps; step++) {
    coreLeave<<<NodeBlocks, Block>>>(Nodes, CoreDegree, degrees, alive, leaving);
    coreCount<<<cover(edgeCount(), 256), 256>>>(edgeCount(), data.get<int>(2), data.get<int>(1),
                                                leaving, degrees);
  }
}

BENCHMARK("pagerank", pagerank, pagerankRun)
BENCHMARK("sssp", sssp, ssspRun)
BENCHMARK("components", components, componentsRun)
BENCHMARK("colouring", colouring, colouringRun)
BENCHMARK("triangles", triangles, trianglesRun)
BENCHMARK("bfs_masks", bfsMasks, bfsRun)
BENCHMARK("kcore", kcore, kcoreRun)
