// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for each other by atomics: a spin lock that thread 0 of each block takes, a ticket lock, and
// chained blocks that each wait for the one before (block numbers handed out by a counter).
#include "support.h"

__device__ int lockWord;
__device__ unsigned ticketNext, ticketNow;

__global__ void locked(volatile int *sum, const int *in, int n) {
  __shared__ int part;
  if (threadIdx.x == 0)
    part = 0;
  __syncthreads();
  int i = threadInGrid();
  if (i < n)
    atomicAdd(&part, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    while (atomicCAS(&lockWord, 0, 1) != 0) {
    }
    __threadfence();
    *sum = *sum + part; // not atomic: the lock protects it
    __threadfence();
    atomicExch(&lockWord, 0);
  }
}

__global__ void ticketed(volatile int *list, volatile int *length) {
  if (threadIdx.x == 0) {
    unsigned mine = atomicAdd(&ticketNext, 1u);
    while (*(volatile unsigned *)&ticketNow != mine) {
    }
    __threadfence();
    list[*length] = int(mine);
    *length = *length + 1;
    __threadfence();
    atomicAdd(&ticketNow, 1u);
  }
}

__device__ unsigned order;
__global__ void chained(const int *in, volatile int *prefix, volatile int *ready, int n) {
  __shared__ int me, part;
  if (threadIdx.x == 0)
    me = int(atomicAdd(&order, 1u)), part = 0;
  __syncthreads();
  int i = me * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&part, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (me > 0) {
      while (ready[me - 1] == 0) {
      }
      __threadfence();
      before = prefix[me - 1];
    }
    prefix[me] = before + part;
    __threadfence();
    ready[me] = 1;
  }
}

int main() {
  Random random(64);
  const int n = 5000, blocks = (n + 63) / 64;
  std::vector<int> in(n), wantPrefix(blocks);
  int want = 0;
  for (int i = 0; i < n; i++) {
    in[i] = random.below(1000);
    wantPrefix[i / 64] = want += in[i];
  }
  Buffer<int> deviceIn(in), sum(1);
  locked<<<blocks, 64>>>(sum, deviceIn, n);
  checkLaunch();
  expect("locked sum", 0, sum.get()[0], want);

  Buffer<int> list(50), length(1);
  ticketed<<<50, 33>>>(list, length);
  checkLaunch();
  std::vector<int> wantList;
  for (int i = 0; i < 50; i++)
    wantList.push_back(i);
  expect("tickets", 0, length.get()[0], 50);
  expectAll("ticket order", list.get(), wantList);

  Buffer<int> prefix(blocks), ready(blocks);
  chained<<<blocks, 64>>>(deviceIn, prefix, ready, n);
  checkLaunch();
  expectAll("chained", prefix.get(), wantPrefix);
  return finish();
}
