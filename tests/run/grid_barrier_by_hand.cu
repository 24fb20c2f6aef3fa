// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for any other block of their grid, or of grids in other streams: as many as a large GPU holds at the
// same time (132 multiprocessors with 16 blocks of 64 threads each).
#include "support.h"

constexpr int Blocks = 2112, Threads = 64;

__device__ void gridBarrier(volatile int *counter, int round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd((int *)counter, 1);
    while (*counter < (round + 1) * int(gridDim.x))
      ;
    __threadfence();
  }
  __syncthreads();
}

/// Each block adds what its neighbours wrote in the round before.
__global__ void rounds(volatile int *counter, int *values, int *next, int count) {
  for (int round = 0; round < count; ++round) {
    int left = (blockIdx.x + gridDim.x - 1) % gridDim.x, right = (blockIdx.x + 1) % gridDim.x;
    if (threadIdx.x == 0)
      next[blockIdx.x] = values[left] + values[right];
    gridBarrier(counter, 2 * round);
    if (threadIdx.x == 0)
      values[blockIdx.x] = next[blockIdx.x];
    gridBarrier(counter, 2 * round + 1);
  }
}

/// Block i waits for block i + 1.
__global__ void chain(volatile int *flags, int *order, int *place) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x)
      while (!flags[blockIdx.x + 1])
        ;
    order[atomicAdd(place, 1)] = blockIdx.x;
    __threadfence();
    flags[blockIdx.x] = 1;
  }
}

/// All blocks of one grid wait for all of the other.
__global__ void meet(int *mine, volatile int *others, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(mine, 1);
      while (*others < round * int(gridDim.x))
        ;
    }
  }
}

int main() {
  std::vector<int> want(Blocks), before(Blocks);
  for (int i = 0; i < Blocks; ++i)
    want[i] = i % 7;
  Buffer<int> counter(std::vector<int>(1)), values(want), next(before);
  rounds<<<Blocks, Threads>>>(counter, values, next, 3);
  checkLaunch();
  for (int round = 0; round < 3; ++round) {
    before.swap(want);
    for (int i = 0; i < Blocks; ++i)
      want[i] = before[(i + Blocks - 1) % Blocks] + before[(i + 1) % Blocks];
  }
  expectAll("barriers over the grid", values.get(), want);

  constexpr int Links = 1000;
  Buffer<int> flags(std::vector<int>(Links, 0)), order(std::vector<int>(Links, 0)), place(std::vector<int>(1));
  chain<<<Links, 32>>>(flags, order, place);
  checkLaunch();
  std::vector<int> down(Links);
  for (int i = 0; i < Links; ++i)
    down[i] = Links - 1 - i;
  expectAll("chain", order.get(), down);

  constexpr int Streams = 4, Rounds = 3, Grid = 150;
  cudaStream_t streams[Streams];
  Buffer<int> counters(std::vector<int>(Streams, 0));
  for (cudaStream_t &stream : streams)
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int *first = counters;
  for (int i = 0; i < Streams; ++i)
    meet<<<Grid, Threads, 0, streams[i]>>>(first + i, first + (i + 1) % Streams, Rounds);
  checkLaunch();
  expectAll("streams", counters.get(), std::vector<int>(Streams, Rounds * Grid));
  return finish();
}
