// RUN: timeout 120 %heddle run %s
// RUN: env HEDDLE_WIDTH=1 timeout 120 %heddle run %s
// RUN: env HEDDLE_WIDTH=8 timeout 120 %heddle run %s
// RUN: env HEDDLE_WIDTH=16 timeout 120 %heddle run %s
// RUN: env HEDDLE_WIDTH=32 timeout 120 %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a block, reused without a barrier in between, in kernels with locks and polls: the first warp writes the next sum
// to where the others read this one, and has always come later on a GPU.
#include "support.h"

__device__ int sumOfBlock(int x) {
  __shared__ int sums[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int offset = 16; offset > 0; offset /= 2)
    x += __shfl_xor_sync(~0u, x, offset);
  if (lane == 0)
    sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    x = lane < warps ? sums[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      x += __shfl_xor_sync(~0u, x, offset);
    if (lane == 0)
      sums[0] = x;
  }
  __syncthreads();
  return sums[0];
}

__device__ void take(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ void give(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

// Lanes of one warp lock: each thread goes by itself.
__global__ void lanesLock(int *lock, volatile int *total, int *out) {
  int t = int(threadIdx.x);
  int first = sumOfBlock(t), second = sumOfBlock(t + first), third = sumOfBlock(second - t);
  take(lock);
  *total = *total + 1;
  give(lock);
  out[threadInGrid()] = first ^ second ^ third;
}

// One thread of the block locks: warps stay warps.
__global__ void blocksLock(int *lock, volatile int *total, int *out) {
  int t = int(threadIdx.x);
  int first = sumOfBlock(t), second = sumOfBlock(t + first), third = sumOfBlock(second - t);
  if (t == 0) {
    take(lock);
    *total = *total + first;
    give(lock);
  }
  __syncthreads();
  out[threadInGrid()] = first ^ second ^ third;
}

int main() {
  for (int threads : {32, 64, 256, 512}) {
    unsigned n = unsigned(threads), first = n * (n - 1) / 2, second = first + n * first, third = n * second - first;
    std::vector<int> want(2 * n, int(first ^ second ^ third));
    Buffer<int> lock(1), total(1), out(2 * n);
    lanesLock<<<2, threads>>>(lock, total, out);
    checkLaunch();
    expectAll("lanes lock", out.get(), want);
    expect("lanes lock", -1, total.get()[0], 2 * threads);
    total.put({0});
    blocksLock<<<2, threads>>>(lock, total, out);
    checkLaunch();
    expectAll("blocks lock", out.get(), want);
    expect("blocks lock", -1, total.get()[0], int(2 * first));
  }
  return finish();
}
