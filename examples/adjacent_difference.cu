// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Example - shared variables" (adjacent difference: naive, in shared
// memory, and in dynamic shared memory).
//
// result[i] = input[i] - input[i - 1]. The naive kernel loads every element twice, once for each of
// two neighbouring threads. The others load it once into shared memory; only the first thread of a
// block reads its left neighbour from global memory. The first element has no neighbour: result[0]
// stays as it was.
#include "common.h"

constexpr int BlockSize = 128;

__global__ void differenceNaive(int *result, const int *input, unsigned n) {
  unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i > 0 && i < n) {
    int own = input[i];
    int left = input[i - 1];
    result[i] = own - left;
  }
}

/// The part that both shared versions have in common.
__device__ void differenceFrom(int *cache, int *result, const int *input, unsigned n) {
  int tx = threadIdx.x;
  unsigned i = blockDim.x * blockIdx.x + tx;
  if (i < n)
    cache[tx] = input[i];
  __syncthreads(); // all loads are done
  if (i >= n)
    return;
  if (tx > 0)
    result[i] = cache[tx] - cache[tx - 1];
  else if (i > 0)
    result[i] = cache[tx] - input[i - 1]; // across the block's boundary
}

__global__ void differenceShared(int *result, const int *input, unsigned n) {
  __shared__ int cache[BlockSize];
  differenceFrom(cache, result, input, n);
}

__global__ void differenceDynamic(int *result, const int *input, unsigned n) {
  extern __shared__ int sized[]; // as many bytes as the launch says
  differenceFrom(sized, result, input, n);
}

static void run(unsigned n) {
  std::vector<int> input = wholeNumbers<int>(n, 1 << 20, 21), want(n);
  for (unsigned i = 1; i < n; ++i)
    want[i] = input[i] - input[i - 1];
  int *in = toDevice(input);
  auto verify = [&](const char *name, unsigned blockSize, auto launch) {
    int *out = zerosOnDevice<int>(n);
    launch(out, (n + blockSize - 1) / blockSize);
    check(same(toHost(out, n), want), "%s, blocks of %u, %u elements", name, blockSize, n);
    CUDA_CHECK(cudaFree(out));
  };
  verify("naive", BlockSize,
         [&](int *out, unsigned blocks) { differenceNaive<<<blocks, BlockSize>>>(out, in, n); });
  verify("shared", BlockSize,
         [&](int *out, unsigned blocks) { differenceShared<<<blocks, BlockSize>>>(out, in, n); });
  for (unsigned blockSize : {1u, 33u, 64u, 500u})
    verify("dynamic shared", blockSize, [&](int *out, unsigned blocks) {
      differenceDynamic<<<blocks, blockSize, blockSize * sizeof(int)>>>(out, in, n);
    });
  CUDA_CHECK(cudaFree(in));
}

int main() {
  for (unsigned n : {1u, 2u, 127u, 128u, 129u, 10001u})
    run(n);
  return exitCode();
}
