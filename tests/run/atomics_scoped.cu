// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVCC: -arch=sm_90
//
// The __nv_atomic functions in their sizes and orders; exchange and compare-and-swap of 16 bytes.
#include "support.h"

struct alignas(16) Pair {
  unsigned long long sum, count;
};

__global__ void fetch(int *i, float *f, unsigned long long *u) {
  int t = threadInGrid();
  __nv_atomic_fetch_add(i, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_add(i + 1, 2, __NV_ATOMIC_ACQ_REL);
  __nv_atomic_fetch_sub(i + 2, t, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_min(i + 3, -t, __NV_ATOMIC_RELAXED);
  __nv_atomic_max(i + 4, t, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_or(i + 5, 1 << t % 31, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_and(i + 6, ~(1 << t % 31), __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_xor(i + 7, t, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(f, 0.5f, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_add(u, 1, __NV_ATOMIC_RELAXED);
}

// Every thread adds its number to a cell, by compare-and-swap in T's size.
template <class T> __global__ void add(T *cell) {
  T seen = __nv_atomic_load_n(cell, __NV_ATOMIC_ACQUIRE);
  while (!__nv_atomic_compare_exchange_n(cell, &seen, T(seen + threadInGrid()), true, __NV_ATOMIC_ACQ_REL,
                                         __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE))
    ;
}

__global__ void addPairs(Pair *cell) {
  Pair seen, next;
  __nv_atomic_load(cell, &seen, __NV_ATOMIC_RELAXED);
  do
    next = {seen.sum + threadInGrid(), seen.count + 1};
  while (!__nv_atomic_compare_exchange(cell, &seen, &next, false, __NV_ATOMIC_RELAXED, __NV_ATOMIC_RELAXED));
}

// Pairs (k, k) go round by exchange: each is taken out once, but for the last.
__global__ void exchangePairs(Pair *cell, int *seen) {
  unsigned long long k = threadInGrid() + 1;
  Pair mine = {k, k}, before;
  if (k % 2)
    before = atomicExch(cell, mine);
  else
    __nv_atomic_exchange(cell, &mine, &before, __NV_ATOMIC_RELAXED);
  atomicAdd(&seen[before.sum == before.count ? before.sum : 0], 1);
}

// A message passed through a flag in shared memory, stored by the last warp.
__global__ void pass(int *out) {
  __shared__ int data, flag;
  if (threadInBlock() == 0)
    flag = 0;
  __syncthreads();
  if (threadInBlock() == int(blockDim.x) - 1) {
    data = 42;
    __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_BLOCK);
  }
  __syncthreads();
  if (__nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK) == 1)
    atomicAdd(out, data);
}

int main() {
  const int n = 4 * 50;
  Buffer<int> i(8);
  Buffer<float> f(1);
  Buffer<unsigned long long> u(1);
  int minusOne = -1;
  cudaMemcpy(i.data + 6, &minusOne, sizeof(int), cudaMemcpyHostToDevice);
  fetch<<<4, 50>>>(i, f, u);
  checkLaunch();
  int all = n * (n - 1) / 2, exclusive = 0;
  for (int t = 0; t < n; t++)
    exclusive ^= t;
  expectAll("fetch", i.get(), {all, 2 * n, -all, -(n - 1), n - 1, 0x7fffffff, int(0x80000000), exclusive});
  expect("float", 0, f.get()[0], 0.5f * n);
  expect("64 bits", 0, u.get()[0], (unsigned long long)n);

  Buffer<unsigned short> c16(1);
  Buffer<unsigned> c32(1);
  Buffer<long long> c64(1);
  add<<<4, 50>>>(c16.data);
  add<<<4, 50>>>(c32.data);
  add<<<4, 50>>>(c64.data);
  checkLaunch();
  expect("16 bits", 0, c16.get()[0], (unsigned short)all);
  expect("32 bits", 0, c32.get()[0], unsigned(all));
  expect("64 bits", 0, c64.get()[0], (long long)all);

  Buffer<Pair> pair(1);
  addPairs<<<4, 50>>>(pair);
  checkLaunch();
  expect("pair's sum", 0, pair.get()[0].sum, (unsigned long long)all);
  expect("pair's count", 0, pair.get()[0].count, (unsigned long long)n);

  Buffer<Pair> cell(1);
  Buffer<int> seen(n + 1);
  exchangePairs<<<4, 50>>>(cell, seen);
  checkLaunch();
  std::vector<int> want(n + 1, 1);
  want[cell.get()[0].sum] = 0;
  expectAll("exchanged", seen.get(), want);

  Buffer<int> out(1);
  pass<<<3, 70>>>(out);
  checkLaunch();
  expect("passed", 0, out.get()[0], 3 * 70 * 42);
  return finish();
}
