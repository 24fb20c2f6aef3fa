// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of one warp that poll for each other: ticket locks, a chain through volatile shared memory, two locks at once, a
// semaphore, locks with the critical section inside and behind the loop. They count on independent thread
// scheduling (compute capability 7.0 on).
#include "waiting.h"

__global__ void ticketLock(unsigned *next, volatile unsigned *serving, volatile int *sum) {
  unsigned mine = atomicAdd(next, 1u);
  while (*serving != mine) {
  }
  __threadfence();
  *sum = *sum + int(threadIdx.x);
  __threadfence();
  *serving = mine + 1;
}

// Each thread waits for the one after it.
__global__ void chain(int *out) {
  __shared__ volatile int value[96];
  int t = int(threadIdx.x);
  value[t] = 0;
  __syncthreads();
  if (t == 95) {
    value[t] = 1;
  } else {
    while (value[t + 1] == 0) {
    }
    value[t] = value[t + 1] + t % 3;
  }
  out[t] = value[t];
}

// Philosophers: the lower fork first.
__global__ void twoLocks(int *forks, volatile int *meals, int seats) {
  int left = int(threadIdx.x) % seats, right = (left + 1) % seats;
  take(&forks[min(left, right)]);
  take(&forks[max(left, right)]);
  meals[left] = meals[left] + 1;
  meals[right] = meals[right] + 1;
  give(&forks[left]);
  give(&forks[right]);
}

__global__ void semaphore(int *tokens, int *inside, int *most) {
  for (;;) { // P
    int seen = *(volatile int *)tokens;
    if (seen > 0 && atomicCAS(tokens, seen, seen - 1) == seen)
      break;
  }
  int now = atomicAdd(inside, 1) + 1;
  atomicMax(most, now);
  __threadfence();
  atomicSub(inside, 1);
  atomicAdd(tokens, 1); // V
}

__global__ void sectionInside(int *lock, volatile int *sum, int *out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *sum = *sum + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
  out[threadInGrid()] = 1;
}

// One lane gets the lock, the warp works, the lane gives it back.
__global__ void lockOfWarp(int *lock, volatile int *sums) {
  int lane = threadIdx.x % 32;
  if (lane == 0)
    take(lock);
  __syncwarp();
  sums[lane] = sums[lane] + lane;
  __threadfence();
  __syncwarp();
  if (lane == 0)
    atomicExch(lock, 0);
}

int main() {
  {
    Buffer<unsigned> counters(2);
    Buffer<int> sum(1);
    ticketLock<<<2, 96>>>(counters, counters + 1, sum);
    checkLaunch();
    expect("ticket lock", 0, sum.get()[0], 2 * 95 * 96 / 2);
  }
  {
    Buffer<int> out(96);
    chain<<<1, 96>>>(out);
    checkLaunch();
    std::vector<int> want(96);
    want[95] = 1;
    for (int t = 94; t >= 0; t--)
      want[t] = want[t + 1] + t % 3;
    expectAll("chain", out.get(), want);
  }
  {
    const int seats = 7;
    Buffer<int> forks(seats), meals(seats);
    twoLocks<<<3, 70>>>(forks, meals, seats);
    checkLaunch();
    expectAll("two locks", meals.get(), std::vector<int>(seats, 60));
  }
  {
    Buffer<int> tokens(std::vector<int>{3}), inside(2);
    semaphore<<<2, 64>>>(tokens, inside, inside + 1);
    checkLaunch();
    expect("tokens", 0, tokens.get()[0], 3);
    expect("inside", 0, inside.get()[0], 0);
    expectTrue("at most three", inside.get()[1] >= 1 && inside.get()[1] <= 3);
  }
  {
    Buffer<int> lock(1), sum(1), out(256);
    sectionInside<<<2, 128>>>(lock, sum, out);
    checkLaunch();
    expect("section inside", 0, sum.get()[0], 256);
    expectAll("section inside", out.get(), std::vector<int>(256, 1));
  }
  {
    Buffer<int> lock(1), sums(32);
    lockOfWarp<<<3, 128>>>(lock, sums);
    checkLaunch();
    std::vector<int> want(32);
    for (int lane = 0; lane < 32; lane++)
      want[lane] = 12 * lane;
    expectAll("lock of a warp", sums.get(), want);
  }
  return finish();
}
