// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last block to finish adds up what all blocks left (__threadfence and an atomic counter), launched several times;
// grid-stride loops; a work queue that blocks and threads draw from, and that work items add to.
#include "support.h"

__device__ unsigned finished;

__global__ void sumAll(const int *in, int n, volatile long long *parts, long long *total) {
  __shared__ long long s[64];
  __shared__ bool last;
  int t = threadIdx.x;
  long long v = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
    v += in[i];
  s[t] = v;
  __syncthreads();
  for (int d = 32; d; d >>= 1) {
    if (t < d)
      s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) {
    parts[blockIdx.x] = s[0];
    __threadfence();
    unsigned ticket = atomicInc(&finished, gridDim.x - 1);
    last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    long long sum = 0;
    for (int i = t; i < int(gridDim.x); i += blockDim.x)
      sum += parts[i];
    s[t] = sum;
    __syncthreads();
    if (t == 0) {
      for (int i = 1; i < 64; i++)
        sum += s[i];
      *total = sum;
    }
  }
}

// Every block draws items of 32 until the queue is empty.
__global__ void drawBlocks(const int *work, int n, int *next, int *out) {
  __shared__ int item;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0)
      item = atomicAdd(next, 32);
    __syncthreads();
    if (item >= n)
      break;
    int i = item + threadIdx.x;
    if (i < n) {
      int v = work[i];
      for (int k = 0; k < work[i] % 50; k++)
        v = v * 3 + k;
      atomicAdd(out + i, v);
    }
  }
}

// Every thread draws by itself; an item may add two smaller ones.
__global__ void drawThreads(volatile int *queue, int *head, int *tail, int *pending, int *done) {
  while (atomicAdd(pending, 0) > 0) {
    int h = atomicAdd(head, 0);
    if (h >= atomicAdd(tail, 0))
      continue;
    int item = queue[h];
    if (item == 0 || atomicCAS(head, h, h + 1) != h)
      continue;
    if (item > 1) {
      atomicAdd(pending, 2);
      for (int k = 0; k < 2; k++) {
        int at = atomicAdd(tail, 1);
        queue[at] = item / 2 + (k & item & 1);
      }
    } else {
      atomicAdd(done, 1);
    }
    __threadfence();
    atomicSub(pending, 1);
  }
}

int main() {
  Random random(65);
  const int n = 10007;
  std::vector<int> in(n), want(n);
  long long wantSum = 0;
  for (int i = 0; i < n; i++) {
    wantSum += in[i] = random.below(100000);
    unsigned v = unsigned(in[i]);
    for (int k = 0; k < in[i] % 50; k++)
      v = v * 3 + k;
    want[i] = int(v);
  }
  Buffer<int> deviceIn(in);
  for (int blocks : {1, 37, 100, 37}) {
    Buffer<long long> parts(blocks), total(1);
    sumAll<<<blocks, 64>>>(deviceIn, n, parts, total);
    checkLaunch();
    expect("sum", blocks, total.get()[0], wantSum);
  }
  Buffer<int> next(1), out(n);
  drawBlocks<<<9, 32>>>(deviceIn, n, next, out);
  checkLaunch();
  expectAll("drawn by blocks", out.get(), want);

  // 300 splits into 300 items of 1: 599 items in all.
  std::vector<int> queue(700);
  queue[0] = 300;
  Buffer<int> deviceQueue(queue), head(1), tail(std::vector<int>{1}), pending(std::vector<int>{1}), done(1);
  drawThreads<<<3, 40>>>(deviceQueue, head, tail, pending, done);
  checkLaunch();
  expect("drawn by threads", 0, done.get()[0], 300);
  expect("items in all", 0, tail.get()[0], 599);
  return finish();
}
