// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, figures B.8.10 and B.8.11 (radix sort of
// one value per thread, with partition by bit and scan).
//
// For each bit from the lowest, a stable partition puts the values with a 0 before those with a 1.
// A scan over the bits tells each thread how many 1s lie before it, and so the place of its value.
// The array may be in shared or in global memory, and its length is any block size.
#include "common.h"

#include <algorithm>

template <class T> __device__ T plusScan(T *x) {
  unsigned i = threadIdx.x;
  for (unsigned offset = 1; offset < blockDim.x; offset *= 2) {
    T left = 0;
    if (i >= offset)
      left = x[i - offset];
    __syncthreads();
    x[i] += left;
    __syncthreads();
  }
  return x[i];
}

__device__ void partitionByBit(unsigned *values, unsigned bit) {
  unsigned i = threadIdx.x, size = blockDim.x;
  unsigned value = values[i];
  unsigned own = (value >> bit) & 1;
  values[i] = own; // the array itself holds the bits during the scan
  __syncthreads();

  unsigned onesUpToHere = plusScan(values);
  unsigned ones = values[size - 1];
  unsigned zeros = size - ones;
  __syncthreads(); // everybody has read; now the places can be overwritten

  if (own)
    values[onesUpToHere - 1 + zeros] = value;
  else
    values[i - onesUpToHere] = value;
}

__device__ void radixSort(unsigned *values) {
  for (int bit = 0; bit < 32; ++bit) {
    partitionByBit(values, bit);
    __syncthreads();
  }
}

__global__ void sortInShared(unsigned *values) {
  extern __shared__ unsigned piece[];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  piece[threadIdx.x] = values[i];
  __syncthreads();
  radixSort(piece);
  values[i] = piece[threadIdx.x];
}

__global__ void sortInGlobal(unsigned *values) { radixSort(values + blockIdx.x * blockDim.x); }

static void run(unsigned blocks, unsigned threads, unsigned mask) {
  Random random(42);
  std::vector<unsigned> values(blocks * threads);
  for (unsigned &value : values)
    value = random.next() & mask;
  std::vector<unsigned> want = values;
  for (unsigned block = 0; block < blocks; ++block)
    std::sort(want.begin() + block * threads, want.begin() + (block + 1) * threads);
  unsigned *shared = toDevice(values), *global = toDevice(values);
  sortInShared<<<blocks, threads, threads * sizeof(unsigned)>>>(shared);
  sortInGlobal<<<blocks, threads>>>(global);
  check(same(toHost(shared, values.size()), want), "in shared memory, %u x %u, mask %#x", blocks,
        threads, mask);
  check(same(toHost(global, values.size()), want), "in global memory, %u x %u, mask %#x", blocks,
        threads, mask);
  CUDA_CHECK(cudaFree(shared));
  CUDA_CHECK(cudaFree(global));
}

int main() {
  for (unsigned threads : {1u, 2u, 31u, 32u, 33u, 256u, 777u, 1024u})
    run(2, threads, 0xFFFFFFFF);
  run(3, 100, 7);          // many equal values
  run(1, 64, 0x80000001u); // the lowest and the highest bit
  return exitCode();
}
