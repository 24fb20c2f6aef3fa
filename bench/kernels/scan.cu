// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scan.h"

using scan::Block;

/// The inclusive sum up to this thread; `cells` has one cell a thread.
__device__ static int scanOfBlock(int mine, int *cells) {
  int thread = threadIdx.x;
  cells[thread] = mine;
  __syncthreads();
  for (int distance = 1; distance < Block; distance *= 2) {
    int left = thread >= distance ? cells[thread - distance] : 0;
    __syncthreads();
    cells[thread] += left;
    __syncthreads();
  }
  return cells[thread];
}

__global__ static void scanBlocks(const int *in, int *out, int *sums) {
  __shared__ int cells[Block];
  int i = blockIdx.x * Block + threadIdx.x;
  int sum = scanOfBlock(in[i], cells);
  out[i] = sum;
  if (threadIdx.x == Block - 1)
    sums[blockIdx.x] = sum;
}

__global__ static void scanSums(int blocks, int *sums) {
  __shared__ int cells[Block];
  int before = 0;
  for (int start = 0; start < blocks; start += Block) {
    int sum = scanOfBlock(sums[start + threadIdx.x], cells);
    sums[start + threadIdx.x] = before + sum;
    before += cells[Block - 1];
    __syncthreads();
  }
}

__global__ static void addSums(const int *sums, int *out) {
  if (blockIdx.x > 0)
    out[blockIdx.x * Block + threadIdx.x] += sums[blockIdx.x - 1];
}

static void run(bench::Data &data) {
  int *in = data.get<int>(0), *out = data.get<int>(1), *sums = data.get<int>(2);
  scanBlocks<<<scan::Blocks, Block>>>(in, out, sums);
  scanSums<<<1, Block>>>(scan::Blocks, sums);
  addSums<<<scan::Blocks, Block>>>(sums, out);
}

BENCHMARK("scan", scan::problem, run)
