// RUN: %heddle cc -arch=sm_60 %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compute capability 6.0 guarantees: the threads of a warp do each access together, and meet again behind branches
// and loops. Sums, scans, counts by tags and exchanges through shared and global memory without a word to say so, votes
// and shuffles without a mask. Also below 32 lanes, where a program is a part of a warp.
#include "support.h"

constexpr int Threads = 96, Warp = 32;

// The last steps of the reduction of CUDA's first samples.
__device__ int sum(volatile int *s, int x) {
  const int t = threadIdx.x, lane = t % Warp;
  s[t] = x;
  if (lane < 16) {
    s[t] = x = x + s[t + 16];
    s[t] = x = x + s[t + 8];
    s[t] = x = x + s[t + 4];
    s[t] = x = x + s[t + 2];
    s[t] = x = x + s[t + 1];
  }
  return s[t - lane];
}

// A histogram of a warp: who has written last counts.
__device__ void count(volatile unsigned *bins, unsigned bin) {
  const unsigned tag = threadIdx.x << 27;
  unsigned number;
  do {
    number = bins[bin] & 0x7ffffff;
    number = tag | (number + 1);
    bins[bin] = number;
  } while (bins[bin] != number);
}

// Neighbours exchange, in loops that lanes leave at different times.
__device__ int exchange(volatile int *s, int turns) {
  const int t = threadIdx.x, lane = t % Warp;
  s[t] = lane;
  for (int i = 0; i < turns; i++)
    s[t] = s[t ^ 1] + 1;
  return s[t - lane + Warp - 1 - lane];
}

// All see the place before one writes there, and then what that one has written.
__device__ int elect(volatile int *s) {
  const int t = threadIdx.x, lane = t % Warp;
  volatile int *place = &s[t - lane];
  *place = -1;
  int before = *place;
  *place = lane;
  int chosen = *place;
  if (lane == chosen)
    *place = 1000 + before;
  return *place - (chosen < 0 || chosen >= Warp);
}

__global__ void old(const int *in, int *out, volatile int *global) {
  __shared__ volatile int s[Threads];
  __shared__ volatile unsigned bins[Threads / Warp][8];
  const int t = threadIdx.x, warp = t / Warp, lane = t % Warp, x = in[t];
  int *to = out + 8 * t;
  to[0] = sum(s, x);
  to[1] = sum(global, x % 10);
  if (lane < 8)
    bins[warp][lane] = 0;
  count(bins[warp], x % 8);
  to[2] = bins[warp][lane % 8] & 0x7ffffff;
  to[3] = exchange(s, x % 4 * 2);
  to[4] = elect(s);
  to[5] = __ballot(x % 3 == 0);
  to[6] = x % 2 ? __popc(__ballot(x % 3 == 0)) : 100 * __any(x % 5 == 0);
  to[7] =
      __shfl(x, lane + 5) + 3 * __shfl_down(x, 16, 32) + 5 * __shfl_xor(x, 3) + 7 * __shfl_up(x, 1);
}

int main() {
  Random random(60);
  std::vector<int> in(Threads);
  for (int &x : in)
    x = random.below(1000);
  Buffer<int> from(in), to(8 * Threads), global(Threads);
  old<<<1, Threads>>>(from, to, global);
  checkLaunch();
  std::vector<int> out = to.get();
  for (int t = 0; t < Threads; t++) {
    const int lane = t % Warp;
    const int *x = &in[t - lane];
    int sum = 0, small = 0, bin = 0, turns[Warp], cells[Warp];
    unsigned thirds = 0;
    int oddThirds = 0, evenFifths = 0;
    for (int i = 0; i < Warp; i++) {
      sum += x[i];
      small += x[i] % 10;
      bin += x[i] % 8 == lane % 8;
      turns[i] = x[i] % 4 * 2;
      cells[i] = i;
      thirds |= unsigned(x[i] % 3 == 0) << i;
      oddThirds += x[i] % 2 && x[i] % 3 == 0;
      evenFifths |= x[i] % 2 == 0 && x[i] % 5 == 0;
    }
    for (int turn = 0; turn < 8; turn++) {
      int before[Warp];
      for (int i = 0; i < Warp; i++)
        before[i] = cells[i];
      for (int i = 0; i < Warp; i++)
        if (turn < turns[i])
          cells[i] = before[i ^ 1] + 1;
    }
    const int *got = &out[8 * t];
    auto at = [&](int other) { return x[other & 31]; };
    expect("sum", t, got[0], sum);
    expect("sum in global memory", t, got[1], small);
    expect("histogram", t, got[2], bin);
    expect("exchange", t, got[3], cells[Warp - 1 - lane]);
    expect("elect", t, got[4], 999);
    expect("ballot", t, unsigned(got[5]), thirds);
    expect("votes in a branch", t, got[6], x[lane] % 2 ? oddThirds : 100 * evenFifths);
    expect("shuffles", t, got[7],
           at(lane + 5) + 3 * (lane < 16 ? x[lane + 16] : x[lane]) + 5 * x[lane ^ 3] +
               7 * x[lane ? lane - 1 : 0]);
  }
  return finish();
}
