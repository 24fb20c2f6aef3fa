// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 60 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of one warp that wait for each other: locks that all threads want, one lock an element, a lock with a pause,
// threads that wait for the one before. They count on independent thread scheduling (sm_70 on).
#include "waiting.h"

__device__ int oneLock;
__device__ int manyLocks[8];

__global__ void lockAll(volatile int *count, int n) {
  if (threadInGrid() < n) {
    take(&oneLock);
    *count = *count + 1;
    give(&oneLock);
  }
}

__global__ void lockElements(volatile int *counts) {
  int i = (threadInGrid() * 5 + 3) % 8;
  unsigned pause = 8;
  while (atomicExch(&manyLocks[i], 1))
    __nanosleep(pause = pause < 256 ? pause * 2 : pause);
  __threadfence();
  counts[i] = counts[i] + 1;
  give(&manyLocks[i]);
}

// With barriers and shared memory around.
__global__ void lockShared(int *out) {
  __shared__ int lock;
  __shared__ volatile int sum;
  if (threadIdx.x == 0)
    lock = 0, sum = 0;
  __syncthreads();
  take(&lock);
  sum = sum + int(threadIdx.x);
  give(&lock);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

__global__ void inTurn(volatile int *done, int *order, int *next) {
  int i = threadInGrid();
  if (i > 0)
    while (!done[i - 1]) {
    }
  __threadfence();
  order[i] = *next;
  *next = *next + 1;
  __threadfence();
  done[i] = 1;
}

int main() {
  Buffer<int> count(1);
  lockAll<<<7, 100>>>(count, 650);
  checkLaunch();
  expect("lock of all", 0, count.get()[0], 650);

  Buffer<int> counts(8);
  lockElements<<<5, 64>>>(counts);
  checkLaunch();
  expectAll("locks of elements", counts.get(), std::vector<int>(8, 40));

  Buffer<int> sums(3);
  lockShared<<<3, 90>>>(sums);
  checkLaunch();
  expectAll("lock in shared memory", sums.get(), std::vector<int>(3, 89 * 90 / 2));

  Buffer<int> done(300), order(300), next(1);
  inTurn<<<3, 100>>>(done, order, next);
  checkLaunch();
  std::vector<int> want;
  for (int i = 0; i < 300; i++)
    want.push_back(i);
  expectAll("one after the other", order.get(), want);
  return finish();
}
