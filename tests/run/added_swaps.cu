// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Additions of floats and doubles by swapping them, in the ways that programs write them, give what an
// atomic addition gives; swaps that wait for a value or do more than add still do so.
// RUN: %heddle run %s | FileCheck %s
// RUN: env HEDDLE_WIDTH=1 %heddle run %s | FileCheck %s
// RUN: env HEDDLE_DISABLE=added-swaps %heddle run %s | FileCheck %s
#include <cstdio>

// CHECK: peeled 523776 4096
// CHECK-NEXT: guide 523776, old values 523776
// CHECK-NEXT: source 523776
// CHECK-NEXT: most 1023
// CHECK-NEXT: in turns 1024

__device__ void peeled(float *p, float v) {
  unsigned *bits = reinterpret_cast<unsigned *>(p), old = *reinterpret_cast<volatile unsigned *>(p), seen;
  while ((seen = atomicCAS(bits, old, __float_as_uint(__uint_as_float(old) + v))) != old)
    old = seen;
}

__device__ double guide(double *p, double v) {
  auto *bits = reinterpret_cast<unsigned long long *>(p);
  unsigned long long old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __double_as_longlong(v + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ void source(volatile float *p, float v) {
  float old;
  do
    old = *p;
  while (atomicCAS((unsigned *)p, __float_as_uint(old), __float_as_uint(old + v)) != __float_as_uint(old));
}

__device__ void most(float *p, float v) {
  unsigned *bits = reinterpret_cast<unsigned *>(p), old = *bits, seen;
  while ((seen = atomicCAS(bits, old, __float_as_uint(fmaxf(__uint_as_float(old), v)))) != old)
    old = seen;
}

struct Sums {
  float peeled, source, most, turn;
  double guide, seen;
};

__global__ void add(Sums *sums, float *cells) {
  __shared__ float shared[4];
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 4)
    shared[threadIdx.x] = 0;
  __syncthreads();
  peeled(&sums->peeled, i);
  peeled(&shared[threadIdx.x % 4], 1);
  source(&sums->source, i);
  most(&sums->most, i);
  atomicAdd(&sums->seen, guide(&sums->guide, i) >= 0 ? double(i) : -1);
  __syncthreads();
  if (threadIdx.x < 4)
    peeled(&cells[threadIdx.x], shared[threadIdx.x] * 4);
  unsigned *turn = reinterpret_cast<unsigned *>(&sums->turn); // waits for its turn
  while (atomicCAS(turn, __float_as_uint(float(i)), __float_as_uint(float(i) + 1)) != __float_as_uint(float(i)))
    ;
}

int main() {
  Sums *sums;
  float *cells;
  cudaMallocManaged(&sums, sizeof *sums);
  cudaMallocManaged(&cells, 4 * sizeof *cells);
  *sums = {};
  for (int i = 0; i < 4; ++i)
    cells[i] = 0;
  add<<<4, 256>>>(sums, cells);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  printf("peeled %.0f %.0f\n", sums->peeled, cells[0] + cells[1] + cells[2] + cells[3]);
  printf("guide %.0f, old values %.0f\n", sums->guide, sums->seen);
  printf("source %.0f\nmost %.0f\nin turns %.0f\n", sums->source, sums->most, sums->turn);
}
