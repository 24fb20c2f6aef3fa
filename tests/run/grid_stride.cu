// RUN: %heddle cc %s -o %t
// RUN: %widths(256) %t
// RUN: %all env HEDDLE_DISABLE=version-guards,unroll-barrier-loops %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in steps of the grid: odd lengths, threads that have nothing to do or leave early, shared
// memory of each block, sums over the loop, more than one loop.
#include "support.h"

__global__ void scale(int n, float *x) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    x[i] = 2 * x[i] + 1;
}

__global__ void sums(unsigned n, const unsigned *x, unsigned *perBlock) {
  __shared__ unsigned cells[256];
  unsigned t = threadIdx.x, mine = 0;
  for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
    mine += x[i] * (blockIdx.x + 1);
  cells[t] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half && t + half < blockDim.x)
      cells[t] += cells[t + half];
    __syncthreads();
  }
  if (t == 0)
    perBlock[blockIdx.x] = cells[0];
}

__global__ void counts(int n, const unsigned *x, unsigned *bins) {
  __shared__ unsigned mine[64];
  if (threadIdx.x < 64)
    mine[threadIdx.x] = 0;
  __syncthreads();
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    atomicAdd(&mine[x[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void twoLoops(int n, const unsigned *x, unsigned *y) {
  if (blockIdx.y == 1)
    return;
  int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned last = 0;
  for (int i = first; i < n; i += step) {
    if (x[i] % 3 == 0)
      continue;
    y[i] = last = x[i] + last % 7;
  }
  for (int i = first; i < n; i += step)
    y[i] += last & 1;
}

static void compare(int n, int blocks, int threads) {
  std::vector<unsigned> x(n);
  std::vector<float> f(n);
  for (int i = 0; i < n; ++i) {
    x[i] = i * 2654435761u >> 7;
    f[i] = float(i % 1000);
  }
  Buffer<unsigned> input(x), output(n), blockSums(blocks), allBins(64);
  Buffer<float> values(f);
  scale<<<blocks, threads>>>(n, values);
  sums<<<blocks, threads>>>(n, input, blockSums);
  counts<<<blocks, threads>>>(n, input, allBins);
  twoLoops<<<dim3(blocks, 2), threads>>>(n, input, output);
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<float> scaled = values.get();
  std::vector<unsigned> y = output.get(), perBlock = blockSums.get(), bins = allBins.get();
  std::vector<unsigned> wantedSums(blocks), wantedBins(64), last(blocks * threads), wanted(n);
  for (int i = 0; i < n; ++i) {
    int thread = i % (blocks * threads);
    wantedSums[thread / threads] += x[i] * (thread / threads + 1);
    ++wantedBins[x[i] % 64];
    if (x[i] % 3 != 0)
      wanted[i] = last[thread] = x[i] + last[thread] % 7;
  }
  for (int i = 0; i < n; ++i) {
    expect("scale", i, scaled[i], float(2 * (i % 1000) + 1));
    expect("two loops", i, y[i], wanted[i] + (last[i % (blocks * threads)] & 1));
  }
  for (int b = 0; b < blocks; ++b)
    expect("sum", b, perBlock[b], wantedSums[b]);
  for (int b = 0; b < 64; ++b)
    expect("bin", b, bins[b], wantedBins[b]);
}

int main() {
  compare(100000, 40, 256);
  compare(99991, 67, 96);
  compare(1, 3, 32);
  compare(5000, 33, 200);
  compare(40961, 128, 64);
  return finish();
}
