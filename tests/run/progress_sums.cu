// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of a block, reused without a barrier in between (block_sum.h), in kernels with locks and polls.
#include "block_sum.h"
#include "waiting.h"

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
