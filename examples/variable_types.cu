// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "CUDA Variable Type Qualifiers"; course, table 4.1 (memory types);
// chapter 7.3, figure 7.7 (memory organisation); Nickolls & Kirk, section B.5, "Memory Spaces".
//
// One kernel with a variable of every kind: a scalar in a register, an array in local memory, one
// variable per block in shared memory, one per program in global and in constant memory.
#include "common.h"

constexpr int Words = 10;

__device__ int globalTotal;            // lives as long as the program; all threads see it
__constant__ int constantTable[Words]; // the same, but kernels only read it

__global__ void useAll(int *perThread) {
  int scalar = threadIdx.x * 3 + blockIdx.x;
  int array[Words];
  __shared__ int blockTotal;

  for (int i = 0; i < Words; ++i) // the thread's own permutation: the indices are not constants
    array[(i + scalar) % Words] = constantTable[i] * (i + 1);
  int sum = 0;
  for (int i = 0; i < Words; ++i)
    sum = sum * 3 + array[i];
  perThread[blockIdx.x * blockDim.x + threadIdx.x] = sum;

  if (threadIdx.x == 0)
    blockTotal = 0;
  __syncthreads();
  atomicAdd(&blockTotal, scalar);
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(&globalTotal, blockTotal);
}

static void run(int blocks, int threads) {
  int table[Words], zero = 0, total = 0, wantTotal = 0;
  for (int i = 0; i < Words; ++i)
    table[i] = i * i - 20;
  CUDA_CHECK(cudaMemcpyToSymbol(constantTable, table, sizeof table));
  CUDA_CHECK(cudaMemcpyToSymbol(globalTotal, &zero, sizeof zero));
  int *perThread = zerosOnDevice<int>(blocks * threads);
  useAll<<<blocks, threads>>>(perThread);
  std::vector<int> got = toHost(perThread, blocks * threads), want(got.size());
  CUDA_CHECK(cudaMemcpyFromSymbol(&total, globalTotal, sizeof total));
  CUDA_CHECK(cudaFree(perThread));

  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t) {
      int scalar = t * 3 + b, array[Words], &sum = want[b * threads + t];
      for (int i = 0; i < Words; ++i)
        array[(i + scalar) % Words] = table[i] * (i + 1);
      for (int i = 0; i < Words; ++i)
        sum = sum * 3 + array[i];
      wantTotal += scalar;
    }
  check(same(got, want), "register, local and constant memory, %d blocks of %d", blocks, threads);
  check(total == wantTotal, "shared and global memory, %d blocks of %d: %d", blocks, threads,
        total);
}

int main() {
  run(1, 1);
  run(3, 31);
  run(50, 33);
  run(7, 256);
  return exitCode();
}
