// RUN: %heddle cc %s -o %t
// RUN: %widths(64) timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take and give back: places of a pool that is tried in a circle, by swaps and exchanges, locks that are
// counters or a bit of a word, a semaphore whose swap expects what it cannot find while nothing is free.
#include "waiting.h"

constexpr int Threads = 70, Places = 8;

// Each thread is one of the users of a place once.
__global__ void poolOfSwaps(int *users) {
  __shared__ int taken[Places];
  if (threadIdx.x < Places)
    taken[threadIdx.x] = 0;
  __syncthreads();
  int i = int(threadIdx.x * 5 % Places);
  while (atomicCAS(&taken[i], 0, 1) != 0)
    i = (i + 1) % Places;
  put(&users[i], look(&users[i]) + 1);
  __threadfence();
  atomicExch(&taken[i], 0);
}

__global__ void poolOfExchanges(int *users) {
  __shared__ int isFree[Places];
  if (threadIdx.x < Places)
    isFree[threadIdx.x] = 1;
  __syncthreads();
  int i = 0;
  while (!atomicExch(&isFree[i], 0))
    i = (i + 1) % Places;
  put(&users[i], look(&users[i]) + 1);
  __threadfence();
  atomicExch(&isFree[i], 1);
}

// Half of the threads put numbers into places, the others take them out.
__global__ void market(int *sum) {
  __shared__ int goods[Places];
  if (threadIdx.x < Places)
    goods[threadIdx.x] = 0;
  __syncthreads();
  int i = int(threadIdx.x % Places), found;
  if (threadIdx.x < Threads / 2) {
    while ((found = atomicExch(&goods[i], 0)) == 0)
      i = (i + 1) % Places;
    atomicAdd(sum, found);
  } else {
    while (atomicCAS(&goods[i], 0, int(threadIdx.x)) != 0)
      i = (i + 3) % Places;
  }
}

// Who adds to 0 has the lock; the others take back what they have added, or it is set to 0.
__global__ void takenBack(unsigned *lock, int *sum) {
  while (atomicAdd(lock, 1u) != 0)
    atomicSub(lock, 1u);
  put(sum, look(sum) + 1);
  __threadfence();
  atomicSub(lock, 1u);
}
__global__ void setBack(unsigned *lock, int *sum) {
  while (atomicAdd(lock, 1u) != 0) {
  }
  put(sum, look(sum) + 1);
  __threadfence();
  atomicExch(lock, 0u);
}

// The lock is the last bit, the rest counts.
__global__ void lockBit(unsigned *word, int *sum) {
  unsigned open;
  do
    open = *(volatile unsigned *)word & ~1u;
  while (atomicCAS(word, open, open | 1u) != open);
  put(sum, look(sum) + 1);
  __threadfence();
  atomicExch(word, open + 2);
}

__global__ void semaphore(int *free, int *sum) {
  int old = *(volatile int *)free, expected;
  do {
    expected = max(old, 1);
    old = atomicCAS(free, expected, expected - 1);
  } while (old != expected);
  atomicAdd(sum, 1);
  __threadfence();
  atomicAdd(free, 1);
}

template <class... Parameters, class... Arguments>
int sumOf(void (*kernel)(Parameters...), std::vector<int> start, Arguments... arguments) {
  Buffer<int> sums(start);
  kernel<<<1, Threads>>>(arguments..., sums);
  checkLaunch();
  int sum = 0;
  for (int one : sums.get())
    sum += one;
  return sum;
}

int main() {
  std::vector<int> zeros(Places);
  expect("swaps", 0, sumOf(poolOfSwaps, zeros), Threads);
  expect("exchanges", 0, sumOf(poolOfExchanges, zeros), Threads);
  expect("market", 0, sumOf(market, {0}), (Threads / 2 + Threads - 1) * Threads / 4);
  Buffer<unsigned> word(1);
  expect("taken back", 0, sumOf(takenBack, {0}, word.data), Threads);
  expect("set back", 0, sumOf(setBack, {0}, word.data), Threads);
  expect("bit", 0, sumOf(lockBit, {0}, word.data), Threads);
  expect("word", 0, word.get()[0], 2u * Threads);
  Buffer<int> free(std::vector<int>{3});
  expect("semaphore", 0, sumOf(semaphore, {0}, free.data), Threads);
  return finish();
}
