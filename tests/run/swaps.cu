// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_DISABLE=added-swaps,kept-swaps %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations made of atomicCAS, as programs write them, in global and shared memory, with and
// without what they return.
#include "support.h"

#include <algorithm>
#include <cmath>
#include <vector>

constexpr int Count = 10007, Bins = 37;

__device__ double addDouble(double *address, double value) {
  auto *p = (unsigned long long *)address;
  unsigned long long old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

template <class F> __device__ float apply(float *address, F f) {
  int *p = (int *)address, old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __float_as_int(f(__int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

/// The new value, by a loop that is left in its middle.
__device__ unsigned orNew(unsigned *p, unsigned bits) {
  unsigned old = *p, seen;
  while ((seen = atomicCAS(p, old, old | bits)) != old)
    old = seen;
  return old | bits;
}

__device__ void subtract(int *p, int value) {
  for (int old = *p;;) {
    int seen = atomicCAS(p, old, old - value);
    if (seen == old)
      return;
    old = seen;
  }
}

/// The old value is guessed first: it is looked at by the swap alone.
__device__ void maxGuessed(int *p, int value) {
  int old = 0, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, max(assumed, value));
  } while (assumed != old);
}

__global__ void guessed(const int *in, int *most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Count)
    maxGuessed(&most[in[i] % Bins], -in[i] - 2);
}

__global__ void global(const int *in, double *sums, float *most, float *least, float *products,
                       int *rest, unsigned *ors, double *before) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Count)
    return;
  int bin = in[i] % Bins;
  float value = float(in[i]) - 500;
  addDouble(&sums[bin], in[i]);
  apply(&most[bin], [=](float old) { return fmaxf(old, value); });
  apply(&least[0], [=](float old) { return value < old ? value : old; });
  apply(&products[bin], [=](float old) { return old * (i % 2 ? 2.0f : 0.5f); });
  subtract(&rest[bin], in[i]);
  if ((orNew(&ors[bin], 1u << in[i] % 32) >> in[i] % 32 & 1) == 0)
    rest[bin] = -1;
  before[i] = addDouble(&sums[Bins], 1);
}

__global__ void shared(const int *in, double *sums, float *most) {
  __shared__ double own[Bins];
  __shared__ float greatest;
  if (threadIdx.x < Bins)
    own[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    greatest = -1;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < Count) {
    addDouble(&own[in[i] % Bins], in[i]);
    float value = in[i];
    apply(&greatest, [=](float old) { return fmaxf(value, old); });
  }
  __syncthreads();
  if (threadIdx.x < Bins)
    addDouble(&sums[threadIdx.x], own[threadIdx.x]);
  if (threadIdx.x == 0)
    apply(most, [=](float old) { return fmaxf(old, greatest); });
}

template <class T> T *managed(int count, T value) {
  T *p = nullptr;
  CUDA_OK(cudaMallocManaged(&p, count * sizeof(T)));
  std::fill(p, p + count, value);
  return p;
}

int main() {
  int *in = managed(Count, 0);
  unsigned state = 7;
  for (int i = 0; i < Count; i++)
    in[i] = (state = state * 1664525u + 1013904223u) >> 22;
  double *sums = managed(Bins + 1, 0.0), *before = managed(Count, 0.0), *own = managed(Bins, 0.0);
  float *most = managed(Bins, -1e9f), *least = managed(1, 1e9f), *products = managed(Bins, 1.0f),
        *greatest = managed(1, -1.0f);
  int *rest = managed(Bins, 0);
  unsigned *ors = managed(Bins, 0u);
  global<<<(Count + 255) / 256, 256>>>(in, sums, most, least, products, rest, ors, before);
  int *mostGuessed = managed(Bins, -1 << 20);
  guessed<<<(Count + 255) / 256, 256>>>(in, mostGuessed);
  shared<<<(Count + 63) / 64, 64>>>(in, own, greatest);
  checkLaunch();

  std::vector<double> sum(Bins), powers(Bins);
  std::vector<float> max(Bins, -1e9f);
  std::vector<unsigned> bits(Bins);
  std::vector<int> maxGuess(Bins, -1 << 20);
  float min = 1e9f;
  for (int i = 0; i < Count; i++) {
    int bin = in[i] % Bins;
    sum[bin] += in[i];
    powers[bin] += i % 2 ? 1 : -1;
    bits[bin] |= 1u << in[i] % 32;
    max[bin] = std::max(max[bin], float(in[i]) - 500);
    min = std::min(min, float(in[i]) - 500);
    maxGuess[bin] = std::max(maxGuess[bin], -in[i] - 2);
  }
  expect("all", 0, sums[Bins], double(Count));
  expect("least", 0, least[0], min);
  expect("greatest", 0, greatest[0], float(*std::max_element(in, in + Count)));
  for (int bin = 0; bin < Bins; bin++) {
    expect("sum", bin, sums[bin], sum[bin]);
    expect("own sum", bin, own[bin], sum[bin]);
    expect("most", bin, most[bin], max[bin]);
    expect("guessed", bin, mostGuessed[bin], maxGuess[bin]);
    expect("rest", bin, rest[bin], -int(sum[bin]));
    expect("bits", bin, ors[bin], bits[bin]);
    expect("product", bin, products[bin], std::exp2(float(powers[bin])));
  }
  std::sort(before, before + Count);
  for (int i = 0; i < Count; i++)
    expect("before", i, before[i], double(i));
  return finish();
}
