// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that poll for each other: a barrier over the grid, a chain over the blocks from the last to the first, and lanes and
// blocks that want one lock. In blocks of one warp and of several.
#include "support.h"

__global__ void gridBarrier(int *count, volatile int *cells, int *out, int rounds) {
  int block = int(blockIdx.x), blocks = int(gridDim.x);
  for (int round = 1; round <= rounds; round++) {
    if (threadIdx.x == 0)
      cells[block] = round * 10 + block;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(count, 1);
      while (atomicAdd(count, 0) < 2 * round * blocks - blocks) {
      }
    }
    __syncthreads();
    out[threadInGrid()] += cells[(block + 1) % blocks];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd(count, 1);
      while (*(volatile int *)count < 2 * round * blocks) {
      }
    }
    __syncthreads();
  }
}

// No barrier behind the loop: lanes 1 to 31 do not wait for lane 0.
__global__ void backwards(volatile int *ready, int *out) {
  int next = int(blockIdx.x) + 1;
  if (threadIdx.x == 0 && next < int(gridDim.x))
    while (!ready[next]) {
    }
  __syncwarp();
  __threadfence();
  out[threadInGrid()] = next < int(gridDim.x) ? ready[next] : 0;
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0)
    ready[next - 1] = int(gridDim.x) - next + 1;
}

__global__ void oneLock(int *lock, volatile int *sum) {
  while (atomicCAS(lock, 0, 1)) {
  }
  __threadfence();
  *sum = *sum + 1;
  __threadfence();
  atomicExch(lock, 0);
}

int main() {
  for (int threads : {32, 96}) {
    const int blocks = 5, rounds = 4;
    Buffer<int> count(1), cells(blocks), out(blocks * threads);
    gridBarrier<<<blocks, threads>>>(count, cells, out, rounds);
    checkLaunch();
    std::vector<int> want;
    for (int i = 0; i < blocks * threads; i++)
      want.push_back(10 * rounds * (rounds + 1) / 2 + rounds * ((i / threads + 1) % blocks));
    expectAll("barrier over the grid", out.get(), want);

    Buffer<int> ready(blocks), seen(blocks * threads);
    backwards<<<blocks, threads>>>(ready, seen);
    checkLaunch();
    for (int i = 0; i < blocks * threads; i++)
      want[i] = i / threads + 1 < blocks ? blocks - i / threads - 1 : 0;
    if (threads == 32)
      expectAll("from the last block", seen.get(), want);

    Buffer<int> lock(1), sum(1);
    oneLock<<<blocks, threads>>>(lock, sum);
    checkLaunch();
    expect("one lock", 0, sum.get()[0], blocks * threads);
  }
  return finish();
}
