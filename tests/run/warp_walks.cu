// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_WIDTH=32 %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that walk a structure together: all that decides where they go is a vote or comes from one lane. Each node has
// a lock, which lane 1 takes and gives back, and all lanes write the node at once, with the lock's word, as they count on
// the warp to go together. There are several ways to a turn's end, on each of which lane 1 alone gives a lock back.
#include "support.h"

constexpr unsigned All = 0xffffffffu, Locked = 0x80000000u;
constexpr int Nodes = 16, Words = 32, Room = 40; // a node has room for as many values

__device__ bool isTaken(unsigned *node, int lane) {
  bool locked = true;
  if (lane == 1)
    locked = (atomicOr(node + 1, Locked) & Locked) != 0;
  locked = __shfl_sync(All, locked, 1);
  if (locked)
    return true;
  __threadfence();
  return false;
}

__device__ void take(unsigned *node, int lane) {
  bool locked = true;
  while (locked) {
    if (lane == 1)
      locked = (atomicOr(node + 1, Locked) & Locked) != 0;
    locked = __shfl_sync(All, locked, 1);
  }
  __threadfence();
}

__device__ void giveBack(unsigned *node, int lane) {
  __threadfence();
  if (lane == 1)
    atomicAnd(node + 1, ~Locked);
}

/// Each lane's value is added to the first node that has room: word 0 is the next node, word 1 the lock and the number
/// of values, the others are sums.
__global__ void insert(unsigned *nodes, const unsigned *values, int n) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  if (thread - lane >= n)
    return;
  bool todo = thread < n;
  unsigned value = todo ? values[thread] : 0, queue, last = 0, at = 0, parent = 0;
  bool holds = false;
  while ((queue = __ballot_sync(All, todo))) {
    int source = __ffs(queue) - 1;
    if (queue != last)
      at = parent = 0, holds = false;
    last = queue;
    unsigned *node = nodes + at * Words;
    if (!holds && isTaken(node, lane)) {
      at = parent;
      continue;
    }
    unsigned data = node[lane];
    unsigned count = __shfl_sync(All, data, 1) & ~Locked;
    if (count >= Room && at != 0 && at == parent) { // it was taken last time: from the beginning
      giveBack(node, lane);
      at = parent = 0;
      holds = false;
      continue;
    }
    if (count >= Room) { // the next one is taken before this one is given back
      parent = at;
      at = __shfl_sync(All, data, 0);
      take(nodes + at * Words, lane);
      giveBack(node, lane);
      holds = true;
      continue;
    }
    unsigned added = __shfl_sync(All, value, source);
    if (lane >= 2)
      data += added;
    else if (lane == 1)
      data = (data + 1) | Locked;
    node[31 - lane] = __shfl_sync(All, data, 31 - lane);
    giveBack(node, lane);
    if (lane == source)
      todo = false;
  }
}

int main() {
  const int n = 500;
  std::vector<unsigned> start(Nodes * Words, 0), values(n);
  for (int i = 0; i < Nodes; i++)
    start[i * Words] = (i + 1) % Nodes;
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
    sum += values[i] = 3 * i + 1;
  Buffer<unsigned> nodes(start), in(values);
  insert<<<4, 128>>>(nodes.data, in.data, n);
  checkLaunch();
  std::vector<unsigned> got = nodes.get();
  unsigned count = 0;
  std::vector<unsigned> sums(Words - 2, 0);
  for (int i = 0; i < Nodes; i++) {
    count += got[i * Words + 1];
    for (int word = 2; word < Words; word++)
      sums[word - 2] += got[i * Words + word];
  }
  expect("values and locks", 0, count, unsigned(n));
  expectAll("sums", sums, std::vector<unsigned>(Words - 2, sum));
  return finish();
}
