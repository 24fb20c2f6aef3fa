// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Polls in functions that stay functions: recursive ones, and behind pointers.
#include "waiting.h"

__device__ int deep(int *lock, volatile int *sum, int n) {
  if (n == 0) {
    take(lock);
    int old = *sum;
    *sum = old + 1;
    give(lock);
    return old >= 0;
  }
  return deep(lock, sum, n - 1) + (n & 1 ? deep(lock, sum, 0) : 0);
}
__global__ void recursive(int *lock, volatile int *sum, int *calls) {
  calls[threadInGrid()] = deep(lock, sum, int(threadIdx.x) % 4);
}

using Section = void (*)(int *, volatile int *);
__device__ void addOne(int *lock, volatile int *sum) {
  take(lock);
  *sum = *sum + 1;
  give(lock);
}
__device__ void addTwo(int *lock, volatile int *sum) {
  while (atomicExch(lock, 1))
    __nanosleep(20);
  __threadfence();
  *sum = *sum + 2;
  give(lock);
}
__device__ Section sections[2] = {addOne, addTwo};
__global__ void throughPointers(int *lock, volatile int *sum) {
  sections[threadIdx.x % 2](lock, sum);
}

// Down the recursion each thread waits for its neighbour, in another warp now and then.
__device__ int waitFor(volatile int *ready, int t, int n) {
  if (n > 0)
    return waitFor(ready, t, n - 1);
  while (!ready[t]) {
  }
  return ready[t];
}
__global__ void chain(volatile int *ready) {
  int t = int(threadIdx.x), next = (t + 33) % int(blockDim.x);
  if (t == 0)
    ready[0] = 1;
  int value = waitFor(ready, t, t % 3);
  if (next != 0)
    ready[next] = value + 1;
}

int main() {
  {
    Buffer<int> lock(1), sum(1), calls(128);
    recursive<<<2, 64>>>(lock, sum, calls);
    checkLaunch();
    std::vector<int> got = calls.get();
    int total = 0;
    for (int i = 0; i < 128; i++) {
      int n = i % 64 % 4;
      expect("calls", i, got[i], n == 0 ? 1 : n <= 2 ? 2 : 3);
      total += got[i];
    }
    expect("lock in a recursive function", 0, sum.get()[0], total);
  }
  {
    Buffer<int> lock(1), sum(1);
    throughPointers<<<2, 96>>>(lock, sum);
    checkLaunch();
    expect("locks behind pointers", 0, sum.get()[0], 2 * 96 * 3 / 2);
  }
  {
    Buffer<int> ready(100);
    chain<<<1, 100>>>(ready);
    checkLaunch();
    std::vector<int> want(100);
    for (int t = 0, value = 1; value <= 100; value++, t = (t + 33) % 100)
      want[t] = value;
    expectAll("chain in a recursive function", ready.get(), want);
  }
  return finish();
}
