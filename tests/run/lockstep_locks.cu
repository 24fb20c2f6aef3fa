// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
// RUN: %at(8) timeout 120 %t
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More of lockstep_polls.cu: locks of several kinds, and warps of several shapes, whose lanes read each other's values
// in shared memory without __syncwarp before and behind.
#include "waiting.h"

// A warp of 16 threads. The lanes take turns up to where they give the lock back, and are together behind.
__global__ void halfWarp(int *lock, volatile int *number, int *out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  int x = s[t ^ 1] + s[t ^ 3];
  take(lock);
  *number = *number + 1;
  give(lock);
  s[t] = x;
  out[t] = s[t ^ 5] + s[t ^ 8];
}

// A warp is four rows of a block, of which one column takes the lock.
__global__ void rowsOfAWarp(int *lock, volatile int *number, int *out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.y * 8 + threadIdx.x;
  s[t] = t * 2;
  int x = s[t ^ 4];
  if (threadIdx.x == 3) {
    take(lock);
    *number = *number + x;
    give(lock);
  }
  s[t] = x + 1;
  out[t] = s[t ^ 2];
}

// Some lanes end in the loop that waits.
__global__ void ends(int *flags, int *lock, volatile int *number, int *out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x;
  if (t >= 32) {
    for (int i = 0; i < 10 * (t % 7); i++)
      __threadfence();
    put(&flags[t - 32], 1 + t % 2);
    return;
  }
  for (;;) {
    int f = look(&flags[t]);
    if (f == 2 && t % 4 == 1)
      return;
    if (f)
      break;
  }
  s[t] = t;
  int y = s[t ^ 2] * 100 + s[t ^ 16];
  out[t] = y;
  take(lock);
  *number = *number + 1;
  give(lock);
}

// A lock that lanes try to take, one in a turn.
__global__ void tries(int *lock, volatile int *number, int *out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x, lane = t % 32;
  int tries = 0;
  bool done = false;
  while (!done) {
    tries++;
    if (atomicCAS(lock, 0, 1) == 0) {
      for (int i = 0; i < 3; i++)
        *number = *number + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    } else if (tries % 8 == 0)
      __nanosleep(10);
  }
  s[t] = lane;
  for (int d = 16; d > 0; d /= 2)
    if (lane < d)
      s[t] = s[t] + s[t + d];
  out[blockIdx.x * 64 + t] = s[t - lane];
}

// A semaphore for three, and a lock inside.
__global__ void semaphore(int *a, int *b, volatile int *number, int *out) {
  __shared__ volatile int s[64];
  const int t = threadIdx.x, lane = t % 32;
  for (int r = 0; r < 2; r++) {
    for (;;) {
      int now = look(a);
      if (now > 0 && atomicCAS(a, now, now - 1) == now)
        break;
    }
    __threadfence();
    take(b);
    *number = *number + 1;
    give(b);
    __threadfence();
    atomicAdd(a, 1);
    s[t] = lane + r;
    for (int d = 1; d < 32; d *= 2) {
      int other = lane >= d ? s[t - d] : 0;
      s[t] = s[t] + other;
    }
  }
  out[blockIdx.x * 64 + t] = s[t - lane + 31];
}

struct Memory {
  Buffer<int> flags, lock, number, out;
  explicit Memory(int threads, int free = 0)
      : flags(std::vector<int>(32, free)), lock(1), number(1), out(threads) {}
  void check(
      const char *name, int count, int (*want)(int),
      bool (*isWritten)(int) = [](int) { return true; }) {
    checkLaunch();
    expect(name, -1, number.get()[0], count);
    std::vector<int> got = out.get();
    for (int t = 0; t < int(got.size()); t++)
      if (isWritten(t))
        expect(name, t, got[t], want(t));
  }
};

int pairSum(int t) { return (t ^ 1) + (t ^ 3); }

void testAll() {
  Memory half(48);
  halfWarp<<<1, 48>>>(half.lock, half.number, half.out);
  half.check("half a warp", 48, [](int t) { return pairSum(t ^ 5) + pairSum(t ^ 8); });

  Memory rows(64);
  rowsOfAWarp<<<1, dim3(8, 8)>>>(rows.lock, rows.number, rows.out);
  int sum = 0;
  for (int t = 3; t < 64; t += 8)
    sum += 2 * (t ^ 4);
  rows.check("rows of a warp", sum, [](int t) { return 2 * (t ^ 2 ^ 4) + 1; });

  Memory some(32);
  ends<<<1, 64>>>(some.flags, some.lock, some.number, some.out);
  some.check(
      "ends in the loop", 24, [](int t) { return (t ^ 2) * 100 + (t ^ 16); },
      [](int t) { return t % 2 == 0; });

  Memory trial(6 * 64);
  tries<<<6, 64>>>(trial.lock, trial.number, trial.out);
  trial.check("tries", 6 * 64 * 3, [](int) { return 496; });

  Memory three(6 * 64, 3);
  semaphore<<<6, 64>>>(three.flags, three.lock, three.number, three.out);
  three.check("semaphore", 6 * 64 * 2, [](int) { return 496 + 32; });
}

int main() {
  for (int repeat = 0; repeat < 3; repeat++)
    testAll();
  return finish();
}
