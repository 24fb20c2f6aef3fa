// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads leave a loop with a barrier one by one and run to the kernel's end. The barrier does not wait for them,
// and those that go on see what they have written. CUDA leaves a barrier in divergent code open: on an H200, built by nvcc,
// the first and the third kernel do the same, and lastWords hangs, for the compiler brings the lanes together behind the loop.
#include "support.h"

// Thread t takes t % 7 + 1 steps, with nothing to do behind the loop.
__global__ void nothingBehind(int *steps, int n) {
  int t = threadInBlock();
  for (int i = t; i < n; i += 1) {
    steps[t] += 1;
    __syncthreads();
    if (steps[t] > t % 7)
      i = n;
  }
}

// Each that leaves adds to a sum in shared memory, with a loop and a branch behind the loop.
__global__ void lastWords(int *seen, int *loops, int n) {
  __shared__ volatile int left;
  int t = threadInBlock(), mine = 0;
  if (t == 0)
    left = 0;
  __syncthreads();
  for (int step = 0; step <= (t * 5) % n; step++) {
    __syncthreads();
    mine += left;
    __syncthreads();
  }
  for (int i = 0; i < t % 3 + 1; i++)
    atomicAdd((int *)&left, 1);
  if (t & 1)
    loops[t] = mine;
  seen[t] = mine;
}

// Two ways out of the loop, which meet behind it.
__global__ void twoWays(int *out, int n) {
  __shared__ int count[2];
  int t = threadInBlock(), way;
  if (t < 2)
    count[t] = 0;
  __syncthreads();
  for (int step = 0;; step++) {
    __syncthreads();
    int before = count[0] + 10 * count[1];
    __syncthreads();
    if (step == t % 5) {
      way = before * 2;
      atomicAdd(&count[0], 1);
      break;
    }
    if (step == (t + 1) % 4) {
      way = before * 2 + 1;
      atomicAdd(&count[1], 1);
      break;
    }
  }
  if (t < n)
    out[t] = way;
}

int stepsOf(int t, int n) { return t < n ? std::min(t % 7 + 1, n - t) : 0; }

void testNothingBehind(int threads) {
  std::vector<int> zero(threads), want(threads);
  int n = threads - threads / 4;
  for (int t = 0; t < threads; t++)
    want[t] = stepsOf(t, n);
  Buffer<int> steps(zero);
  nothingBehind<<<1, threads>>>(steps, n);
  checkLaunch();
  expectAll("nothing behind", steps.get(), want);
}

void testLastWords(int threads) {
  const int n = 11;
  std::vector<int> zero(threads), seen(threads), loops(threads);
  int left = 0;
  std::vector<int> sums(threads);
  for (int step = 0; step < n; step++) {
    for (int t = 0; t < threads; t++)
      if (step <= t * 5 % n)
        sums[t] += left;
    for (int t = 0; t < threads; t++)
      if (step == t * 5 % n)
        left += t % 3 + 1;
  }
  for (int t = 0; t < threads; t++) {
    seen[t] = sums[t];
    loops[t] = t & 1 ? sums[t] : 0;
  }
  Buffer<int> deviceSeen(zero), deviceLoops(zero);
  lastWords<<<1, threads>>>(deviceSeen, deviceLoops, n);
  checkLaunch();
  expectAll("last words", deviceSeen.get(), seen);
  expectAll("last words of the odd", deviceLoops.get(), loops);
}

void testTwoWays(int threads) {
  std::vector<int> zero(threads), want(threads);
  int count[2] = {};
  for (int step = 0; step < 5; step++) {
    int before = count[0] + 10 * count[1];
    for (int t = 0; t < threads; t++) {
      int first = t % 5, second = (t + 1) % 4;
      if (step != std::min(first, second))
        continue;
      int way = first <= second ? 0 : 1;
      count[way]++;
      want[t] = t < threads - 3 ? before * 2 + way : 0;
    }
  }
  Buffer<int> out(zero);
  twoWays<<<1, threads>>>(out, threads - 3);
  checkLaunch();
  expectAll("two ways", out.get(), want);
}

int main() {
  for (int threads : {32, 40, 64, 128, 129, 250}) {
    testNothingBehind(threads);
    testLastWords(threads);
    testTwoWays(threads);
  }
  return finish();
}
