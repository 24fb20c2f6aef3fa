// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that count on all blocks of an ordinary launch running at the same time, as they do on a GPU if they fit:
// a chain in which each block waits for the next one, also from barrier to barrier, and barriers over the grid made of
// a counter. There are
// more blocks than this machine has processors.
#include "support.h"

constexpr int Threads = 64;

/// Block b waits for block b + 1.
__global__ void chain(volatile int *flags) {
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x)
      while (flags[blockIdx.x + 1] == 0) {
      }
    __threadfence();
    flags[blockIdx.x] = blockIdx.x + 1 < gridDim.x ? flags[blockIdx.x + 1] + 1 : 1;
  }
}

/// The same with plain loads and a fence.
__global__ void fencedChain(int *flags) {
  if (threadIdx.x == 0 && blockIdx.x + 1 < gridDim.x)
    while (flags[blockIdx.x + 1] == 0)
      __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    atomicExch(&flags[blockIdx.x], 1);
}

/// The same for each thread, with a barrier in each turn.
__global__ void chainOverBarriers(volatile int *flags) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, next = i + blockDim.x;
  bool isDone = false;
  while (!isDone) {
    int seen = next < n ? flags[next] : 1;
    if (seen > 0) {
      flags[i] = seen + 1;
      isDone = true;
    }
    __syncthreads();
  }
}

__device__ unsigned arrived;

__device__ void gridBarrier(unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < round * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

/// In each round every element takes its neighbour's value, all at once.
__global__ void rotate(volatile int *a, volatile int *b, int rounds) {
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 1; round <= rounds; round++) {
    b[i] = a[(i + 1) % n];
    gridBarrier(2 * round - 1);
    a[i] = b[i];
    gridBarrier(2 * round);
  }
}

int main() {
  int device = 0, processors = 0, perProcessor = 0;
  CUDA_OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&perProcessor, rotate, Threads, 0));
  int blocks = processors * perProcessor < 13 ? processors * perProcessor : 13;
  expect("more blocks than processors", 0, blocks > processors || processors >= 13, true);

  Buffer<int> flags(std::vector<int>(blocks, 0));
  chain<<<blocks, Threads>>>(flags.data);
  checkLaunch();
  std::vector<int> want;
  for (int b = 0; b < blocks; b++)
    want.push_back(blocks - b);
  expectAll("chain", flags.get(), want);

  Buffer<int> fenced(std::vector<int>(blocks, 0));
  fencedChain<<<blocks, Threads>>>(fenced.data);
  checkLaunch();
  expectAll("chain with fences", fenced.get(), std::vector<int>(blocks, 1));

  const int links = processors * perProcessor < 200 ? processors * perProcessor : 200;
  for (int threads : {32, Threads}) {
    Buffer<int> seen(std::vector<int>(links * threads, 0));
    chainOverBarriers<<<links, threads>>>(seen.data);
    checkLaunch();
    std::vector<int> steps;
    for (int i = 0; i < links * threads; i++)
      steps.push_back(links - i / threads + 1);
    expectAll("chain over barriers", seen.get(), steps);
  }

  int n = blocks * Threads, rounds = 3;
  std::vector<int> values(n), rotated(n);
  for (int i = 0; i < n; i++)
    values[i] = 7 * i;
  for (int i = 0; i < n; i++)
    rotated[i] = values[(i + rounds) % n];
  Buffer<int> a(values), b(n);
  rotate<<<blocks, Threads>>>(a.data, b.data, rounds);
  checkLaunch();
  expectAll("grid barrier", a.get(), rotated);
  return finish();
}
