// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce.h"

using namespace reduce;

__device__ static void sumOfBlock(float mine, float *sums) {
  __shared__ float cache[Block];
  int thread = threadIdx.x;
  cache[thread] = mine;
  __syncthreads();
  for (int half = Block / 2; half > 0; half /= 2) {
    if (thread < half)
      cache[thread] += cache[thread + half];
    __syncthreads();
  }
  if (thread == 0)
    sums[blockIdx.x] = cache[0];
}

__global__ static void reduceTree(const float *in, float *sums) {
  sumOfBlock(in[blockIdx.x * Block + threadIdx.x], sums);
}

__global__ static void reduceStrided(int n, const float *in, float *sums) {
  float mine = 0;
  for (int i = blockIdx.x * Block + threadIdx.x; i < n; i += gridDim.x * Block)
    mine += in[i];
  sumOfBlock(mine, sums);
}

static void tree(bench::Data &data) {
  reduceTree<<<N / Block, Block>>>(data.get<float>(0), data.get<float>(1));
}

static void strided(bench::Data &data) {
  reduceStrided<<<Blocks, Block>>>(N, data.get<float>(0), data.get<float>(1));
}

BENCHMARK("reduce_tree", treeProblem, tree)
BENCHMARK("reduce_strided", stridedProblem, strided)
