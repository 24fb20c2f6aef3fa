// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomicCAS in 16, 32 and 64 bits, loops on it with contention inside a warp, atomicInc and atomicDec with their wrap,
// the _block and _system forms, linked lists made with atomicExch.
#include "support.h"

__global__ void incDec(unsigned *up, unsigned *down, unsigned *seen, unsigned limit) {
  unsigned old = atomicInc(up, limit);
  atomicAdd(&seen[old], 1);
  atomicDec(down, limit);
}

template <class T> __global__ void multiply(T *cell, T by, int rounds) {
  for (int i = 0; i < rounds; i++) {
    T old = *cell, assumed;
    do {
      assumed = old;
      old = atomicCAS(cell, assumed, T(assumed * by + 1));
    } while (old != assumed);
  }
}

__global__ void first(int *winner, int *winners) {
  int i = threadInGrid() + 1;
  if (atomicCAS(winner, 0, i) == 0)
    atomicAdd(winners, 1);
}

__global__ void scopes(int *v, unsigned long long *w) {
  __shared__ int local;
  if (threadInBlock() == 0)
    local = 0;
  __syncthreads();
  atomicAdd_block(&local, 2);
  atomicAdd_system(v, 1);
  atomicMax_system(v + 1, int(threadInGrid()));
  atomicOr_block(v + 2 + blockIdx.x, 1 << (threadIdx.x & 15));
  atomicCAS_system(v + 1, -1, 5);
  atomicAdd_system(w, 3ull);
  atomicExch_block(v + 6 + blockIdx.x, 9);
  __syncthreads();
  if (threadInBlock() == 0)
    atomicAdd(v, local);
}

struct Node {
  int next, value;
};
__global__ void push(Node *nodes, int *head, int n) {
  int i = threadInGrid();
  if (i < n) {
    nodes[i].value = i;
    nodes[i].next = atomicExch(head, i);
  }
}

// A hash table with open addressing: insert all keys, each once.
__global__ void insert(const unsigned *keys, int n, unsigned *table, unsigned size, int *distinct) {
  int i = threadInGrid();
  if (i >= n)
    return;
  unsigned slot = keys[i] * 2654435761u % size;
  while (true) {
    unsigned old = atomicCAS(&table[slot], 0u, keys[i]);
    if (old == 0) {
      atomicAdd(distinct, 1);
      break;
    }
    if (old == keys[i])
      break;
    slot = (slot + 1) % size;
  }
}

int main() {
  Buffer<unsigned> up(1), down(1), seen(7);
  incDec<<<5, 50>>>(up, down, seen, 6);
  checkLaunch();
  expect("atomicInc", 0, up.get()[0], 250 % 7u);
  expect("atomicDec", 0, down.get()[0], (7 - 250 % 7u) % 7);
  for (int i = 0; i < 7; i++)
    expect("atomicInc's old values", i, seen.get()[i], 250 / 7u + (i < 250 % 7));
  // A value above the limit wraps at once.
  Buffer<unsigned> above(std::vector<unsigned>{100}), above2(std::vector<unsigned>{100});
  Buffer<unsigned> seenAbove(101);
  incDec<<<1, 1>>>(above, above2, seenAbove, 6);
  checkLaunch();
  expect("atomicInc above", 0, above.get()[0], 0u);
  expect("atomicDec above", 0, above2.get()[0], 6u);

  unsigned short want16 = 1;
  unsigned want32 = 1;
  unsigned long long want64 = 1;
  for (int i = 0; i < 3 * 40 * 4; i++)
    want16 = (unsigned short)(want16 * 3 + 1), want32 = want32 * 3 + 1, want64 = want64 * 3 + 1;
  Buffer<unsigned short> cell16(std::vector<unsigned short>{1});
  Buffer<unsigned> cell32(std::vector<unsigned>{1});
  Buffer<unsigned long long> cell64(std::vector<unsigned long long>{1});
  multiply<<<3, 40>>>(cell16.data, (unsigned short)(3), 4);
  multiply<<<3, 40>>>(cell32.data, 3u, 4);
  multiply<<<3, 40>>>(cell64.data, 3ull, 4);
  checkLaunch();
  expect("CAS loop 16", 0, cell16.get()[0], want16);
  expect("CAS loop 32", 0, cell32.get()[0], want32);
  expect("CAS loop 64", 0, cell64.get()[0], want64);

  Buffer<int> winner(1), winners(1);
  first<<<7, 33>>>(winner, winners);
  checkLaunch();
  expect("winners", 0, winners.get()[0], 1);
  expectTrue("winner", winner.get()[0] >= 1 && winner.get()[0] <= 7 * 33);

  Buffer<int> v(10);
  Buffer<unsigned long long> w(1);
  scopes<<<4, 40>>>(v, w);
  checkLaunch();
  std::vector<int> wantScopes = {160 + 4 * 80, 159, 0xffff, 0xffff, 0xffff, 0xffff, 9, 9, 9, 9};
  expectAll("scopes", v.get(), wantScopes);
  expect("scopes", 0, w.get()[0], 480ull);

  const int n = 500;
  Buffer<Node> nodes(n);
  Buffer<int> head(std::vector<int>{-1});
  push<<<10, 50>>>(nodes, head, n);
  checkLaunch();
  std::vector<Node> list = nodes.get();
  std::vector<int> visits(n);
  int length = 0;
  for (int i = head.get()[0]; i >= 0 && length <= n; i = list[i].next, length++)
    visits[list[i].value]++;
  expectAll("list", visits, std::vector<int>(n, 1));

  Random random(63);
  std::vector<unsigned> keys(n);
  std::vector<int> present(300);
  int wantDistinct = 0;
  for (unsigned &k : keys) {
    k = unsigned(random.below(299)) + 1;
    wantDistinct += !present[k]++;
  }
  Buffer<unsigned> deviceKeys(keys), table(512);
  Buffer<int> distinct(1);
  insert<<<10, 50>>>(deviceKeys, n, table, 512, distinct);
  checkLaunch();
  expect("distinct keys", 0, distinct.get()[0], wantDistinct);
  int inTable = 0;
  for (unsigned k : table.get())
    if (k)
      inTable++, expectTrue("key", k < 300 && present[k]);
  expect("keys in the table", 0, inTable, wantDistinct);
  return finish();
}
