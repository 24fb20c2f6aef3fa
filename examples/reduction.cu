// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, figure B.8.9 (plus-reduction with
// atomicAdd).
//
// Each block adds up its elements in a tree in shared memory, and its first thread adds the sum to
// the total atomically, which saves a second array and a second launch. Threads beyond the end
// contribute 0.
#include "common.h"

constexpr unsigned BlockSize = 256;

__global__ void plusReduce(const int *input, unsigned n, int *total) {
  __shared__ int x[BlockSize];
  unsigned thread = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  x[thread] = i < n ? input[i] : 0;
  __syncthreads();

  for (unsigned step = blockDim.x / 2; step > 0; step = step / 2) {
    if (thread < step)
      x[thread] += x[thread + step];
    __syncthreads();
  }
  if (thread == 0)
    atomicAdd(total, x[thread]);
}

static void run(unsigned n, unsigned blockSize) {
  std::vector<int> input = wholeNumbers<int>(n, 1000, 41);
  int want = 0;
  for (int value : input)
    want += value;
  int *in = toDevice(input), *total = zerosOnDevice<int>(1);
  plusReduce<<<(n + blockSize - 1) / blockSize, blockSize>>>(in, n, total);
  int got = toHost(total, 1)[0];
  check(got == want, "sum of %u elements in blocks of %u: %d", n, blockSize, got);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(total));
}

int main() {
  for (unsigned n : {1u, 255u, 256u, 257u, 100000u, 1000003u})
    run(n, BlockSize);
  for (unsigned blockSize : {1u, 2u, 16u, 32u, 64u})
    run(1001, blockSize);
  return exitCode();
}
