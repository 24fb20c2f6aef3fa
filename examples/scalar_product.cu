// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: chapter "General Purpose GPU Programming", section 7.3, figures 7.8 and 7.9 (scalar
// product with shared memory and barriers).
//
// Three phases: each thread multiplies and adds its elements; the threads of a block add their
// partial sums in a tree in shared memory, halving the number of active threads in each step; the
// host adds the blocks' results. (The figure's last loop reads the device's array on the host; it
// must read the copy.)
#include "common.h"

constexpr int BlockSize = 256;

__global__ void scalarProduct(const float *a, const float *b, float *c, int n) {
  __shared__ float partial[BlockSize];
  int lane = threadIdx.x;
  float sum = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x)
    sum += a[i] * b[i];
  partial[lane] = sum;
  __syncthreads();

  int active = blockDim.x / 2;
  while (active != 0) {
    if (lane < active)
      partial[lane] += partial[lane + active];
    __syncthreads(); // outside the if: all threads of the block must reach it
    active = active / 2;
  }
  if (lane == 0)
    c[blockIdx.x] = partial[0];
}

static void run(int n, int blocks) {
  std::vector<float> a = wholeNumbers<float>(n, 8, 3), b = wholeNumbers<float>(n, 8, 4);
  double want = 0;
  for (int i = 0; i < n; ++i)
    want += double(a[i]) * b[i];

  float *ad = toDevice(a), *bd = toDevice(b), *partd = zerosOnDevice<float>(blocks);
  scalarProduct<<<blocks, BlockSize>>>(ad, bd, partd, n);
  float c = 0;
  for (float part : toHost(partd, blocks))
    c += part;
  CUDA_CHECK(cudaFree(ad));
  CUDA_CHECK(cudaFree(bd));
  CUDA_CHECK(cudaFree(partd));
  check(c == want, "scalar product of %d elements on %d blocks: %g", n, blocks, c);
}

int main() {
  run(32 * 1024, 32 * 1024 / BlockSize); // the figure's sizes: one element for each thread
  run(48, 2);
  for (int n : {1, 255, 257, 10000, 100003})
    run(n, 7);
  return exitCode();
}
