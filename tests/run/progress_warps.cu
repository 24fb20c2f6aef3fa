// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps of one block that poll for each other, whichever comes first: flags, ping-pong, a ring buffer, a token, with volatile
// and atomic accesses, __ldcg, ballots, under a bound by the clock, with __nanosleep.
#include "support.h"

enum class Way { Volatile, Atomic, Cached, Ballot, Vote, Clock, Sleep, Fence, Leader };

template <Way way> __device__ void waitUntil(int *p, int value) {
  if constexpr (way == Way::Volatile)
    while (*(volatile int *)p != value) {
    }
  if constexpr (way == Way::Atomic)
    while (atomicAdd(p, 0) != value) {
    }
  if constexpr (way == Way::Cached)
    while (__ldcg(p) != value)
      __nanosleep(20);
  if constexpr (way == Way::Ballot)
    while (__ballot_sync(~0u, *(volatile int *)p == value) != ~0u) {
    }
  if constexpr (way == Way::Vote)
    while (__any_sync(~0u, *(volatile int *)p != value)) {
    }
  if constexpr (way == Way::Clock)
    for (long long start = clock64(); *(volatile int *)p != value && clock64() - start < 40'000'000'000ll;) {
    }
  if constexpr (way == Way::Sleep)
    for (unsigned pause = 8; *(volatile int *)p != value; pause = min(2 * pause, 256u))
      __nanosleep(pause);
  if constexpr (way == Way::Fence)
    while (*p != value)
      __threadfence();
  if constexpr (way == Way::Leader) {
    int seen;
    do {
      if (threadIdx.x % 32 == 0)
        seen = *(volatile int *)p;
      seen = __shfl_sync(~0u, seen, 0);
    } while (seen != value);
  }
  __threadfence();
}

// Every warp waits for the next one, the last for nobody.
template <Way way> __global__ void backwards(int *flags, int *out) {
  int warp = int(threadIdx.x) / 32, warps = int(blockDim.x) / 32;
  int *mine = flags + blockIdx.x * warps;
  if (warp < warps - 1)
    waitUntil<way>(mine + warp + 1, warps - warp - 1);
  out[threadInGrid()] = warp < warps - 1 ? *(volatile int *)(mine + warp + 1) : 0;
  __syncwarp();
  __threadfence();
  if (threadIdx.x % 32 == 0)
    *(volatile int *)(mine + warp) = warps - warp;
}

template <Way way> void backwards(const char *name) {
  Buffer<int> flags(16), out(256);
  backwards<way><<<2, 128>>>(flags, out);
  checkLaunch();
  std::vector<int> want;
  for (int i = 0; i < 256; i++)
    want.push_back(3 - i % 128 / 32);
  expectAll(name, out.get(), want);
}

template <Way way> __global__ void pingPong(int *ball, int *count, int rounds) {
  int warp = int(threadIdx.x) / 32;
  for (int round = 0; round < rounds; round++) {
    waitUntil<way>(ball, 2 * round + warp);
    count[threadIdx.x] += *(volatile int *)ball;
    __syncwarp();
    __threadfence();
    if (threadIdx.x % 32 == 0)
      *(volatile int *)ball = 2 * round + warp + 1;
  }
}

template <Way way> void pingPong(const char *name) {
  const int rounds = 50;
  Buffer<int> ball(1), count(64);
  pingPong<way><<<1, 64>>>(ball, count, rounds);
  checkLaunch();
  std::vector<int> want;
  for (int i = 0; i < 64; i++)
    want.push_back(rounds * (rounds - 1) + rounds * (i / 32));
  expectAll(name, count.get(), want);
}

// Warp 0 fills a ring that the others empty, all items in order.
__global__ void ring(int items, long long *sum) {
  __shared__ volatile int slot[4];
  __shared__ volatile int head, tail;
  if (threadIdx.x == 0)
    head = tail = 0;
  __syncthreads();
  int warp = int(threadIdx.x) / 32, consumers = int(blockDim.x) / 32 - 1;
  if (threadIdx.x % 32 != 0)
    return;
  if (warp == 0) {
    for (int i = 0; i < items; i++) {
      while (i - tail >= 4) {
      }
      slot[i % 4] = i * i;
      __threadfence_block();
      head = i + 1;
    }
  } else {
    long long mine = 0;
    for (int i = warp - 1; i < items; i += consumers) {
      while (tail != i || head <= i) {
      }
      mine += slot[i % 4];
      __threadfence_block();
      tail = i + 1;
    }
    sum[warp - 1] = mine;
  }
}

// Some warps wait at a barrier, or for a part of the block, while others poll.
__global__ void besideBarriers(volatile int *flag, int *out) {
  int warp = int(threadIdx.x) / 32;
  if (warp == 0) {
    while (*flag != 3) {
    }
  } else {
    if (threadIdx.x % 32 == 0)
      atomicAdd((int *)flag, 1);
  }
  __syncthreads();
  out[threadIdx.x] = *flag;
}

int main() {
  backwards<Way::Volatile>("volatile");
  backwards<Way::Atomic>("atomic");
  backwards<Way::Cached>("__ldcg");
  backwards<Way::Ballot>("ballot");
  backwards<Way::Vote>("vote");
  backwards<Way::Clock>("clock");
  backwards<Way::Sleep>("sleep");
  backwards<Way::Fence>("fence");
  backwards<Way::Leader>("leader");
  pingPong<Way::Volatile>("ping-pong");
  pingPong<Way::Atomic>("atomic ping-pong");
  pingPong<Way::Vote>("ping-pong by votes");
  pingPong<Way::Sleep>("ping-pong with pauses");
  for (int items : {1, 5, 100}) {
    Buffer<long long> sum(3);
    ring<<<1, 128>>>(items, sum);
    checkLaunch();
    std::vector<long long> want(3);
    for (int i = 0; i < items; i++)
      want[i % 3] += i * i;
    expectAll("ring", sum.get(), want);
  }
  {
    Buffer<int> flag(1), out(128);
    besideBarriers<<<1, 128>>>(flag, out);
    checkLaunch();
    expectAll("beside barriers", out.get(), std::vector<int>(128, 3));
  }
  return finish();
}
