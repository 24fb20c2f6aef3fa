// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops on atomicCAS at one address for all threads, in global and shared memory, in 32 and 64 bits, of some lanes only:
// a maximum, tickets, a recurrence that counts each success; and a swap that one thread wins.
#include <cuda_runtime.h>

struct Cells {
  float most;
  int tickets, winner, winners, shared, own;
  unsigned long long wide;
};

template <class T, class F> __device__ T swapUntil(T *cell, F make) {
  T old = *cell, assumed;
  do {
    assumed = old;
    old = atomicCAS(cell, assumed, make(assumed));
  } while (assumed != old);
  return old;
}

__global__ void race(Cells *cells, int *taken, int n) {
  __shared__ int sum;
  if (threadIdx.x == 0)
    sum = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 3 != 1) {
    float mine = i * 7919 % 10007;
    swapUntil((int *)&cells->most, [=](int old) { return __float_as_int(fmaxf(__int_as_float(old), mine)); });
    taken[swapUntil(&cells->tickets, [](int old) { return old + 1; })]++;
    swapUntil(&cells->wide, [](unsigned long long old) { return 3 * old + 1; });
    swapUntil(&sum, [](int old) { return old + 2; });
    if (atomicCAS(&cells->winner, 0, i + 1) == 0)
      atomicAdd(&cells->winners, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&cells->shared, sum);
}

int main() {
  const int n = 5003;
  Cells *cells;
  int *taken, total = 0, twice = 0;
  float most = 0;
  cudaMallocManaged(&cells, sizeof *cells);
  cudaMallocManaged(&taken, n * sizeof(int));
  *cells = {};
  cells->wide = 1;
  for (int i = 0; i < n; i++)
    taken[i] = 0;
  race<<<(n + 127) / 128, 128>>>(cells, taken, n);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 2;
  unsigned long long wide = 1;
  for (int i = 0; i < n; i++) {
    total += taken[i];
    twice += taken[i] > 1;
    if (i % 3 != 1) {
      most = fmaxf(most, i * 7919 % 10007);
      wide = 3 * wide + 1;
    }
  }
  return cells->tickets != total || twice || cells->wide != wide || cells->most != most || cells->winners != 1 ||
         cells->winner == 0 || cells->shared != 2 * total;
}
