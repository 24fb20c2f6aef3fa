// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Global Communication" (finish a grid and start a new one).
//
// Blocks of one grid cannot wait for each other. What needs the results of all blocks becomes a
// second kernel: all writes of the first are complete before it begins. Here: the mean of all
// values, then every value's deviation from it.
#include "common.h"

constexpr int BlockSize = 64;

__global__ void step1(const int *values, int n, long long *blockSums) {
  __shared__ long long sums[BlockSize];
  int i = blockIdx.x * BlockSize + threadIdx.x;
  sums[threadIdx.x] = i < n ? values[i] : 0;
  __syncthreads();
  for (unsigned half = BlockSize / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    blockSums[blockIdx.x] = sums[0];
}

__global__ void step2(const int *values, int n, const long long *blockSums, int *deviations) {
  long long sum = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) // reads what all blocks of step1 wrote
    sum += blockSums[block];
  int i = blockIdx.x * BlockSize + threadIdx.x;
  if (i < n)
    deviations[i] = values[i] - int(sum / n);
}

static void run(int n) {
  int blocks = (n + BlockSize - 1) / BlockSize;
  std::vector<int> values = wholeNumbers<int>(n, 1 << 30, 26), want(n);
  long long sum = 0;
  for (int value : values)
    sum += value;
  for (int i = 0; i < n; ++i)
    want[i] = int(unsigned(values[i]) - unsigned(int(sum / n)));
  int *in = toDevice(values), *out = zerosOnDevice<int>(n);
  long long *sums = zerosOnDevice<long long>(blocks);
  step1<<<blocks, BlockSize>>>(in, n, sums);
  step2<<<blocks, BlockSize>>>(in, n, sums, out);
  check(same(toHost(out, n), want), "deviations from the mean of %d values, mean %lld", n, sum / n);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(sums));
}

int main() {
  for (int n : {1, 63, 64, 65, 20011})
    run(n);
  return exitCode();
}
