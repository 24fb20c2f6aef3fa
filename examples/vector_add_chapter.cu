// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: chapter "General Purpose GPU Programming", section 7.2, figure 7.6 (vector
// addition).
//
// Ten blocks of 16 threads add vectors of any length: thread t takes the elements t, t + 160, t +
// 320, ... which is a cyclic distribution of the vector over the threads. The figure fixes the
// length at 1600.
#include "common.h"

__global__ void addVectors(const int *a, const int *b, int *c, int n) {
  int thread = threadIdx.x + blockIdx.x * blockDim.x;
  for (int i = thread; i < n; i += blockDim.x * gridDim.x)
    c[i] = a[i] + b[i];
}

static void run(int n) {
  std::vector<int> a = wholeNumbers<int>(n, 1000, 1), b = wholeNumbers<int>(n, 1000, 2), c(n),
                   want(n);
  for (int i = 0; i < n; ++i)
    want[i] = a[i] + b[i];

  int *ad, *bd, *cd;
  size_t bytes = n * sizeof(int);
  CUDA_CHECK(cudaMalloc((void **)&ad, bytes));
  CUDA_CHECK(cudaMalloc((void **)&bd, bytes));
  CUDA_CHECK(cudaMalloc((void **)&cd, bytes));
  CUDA_CHECK(cudaMemcpy(ad, a.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(bd, b.data(), bytes, cudaMemcpyHostToDevice));
  addVectors<<<10, 16>>>(ad, bd, cd, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(c.data(), cd, bytes, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(ad));
  CUDA_CHECK(cudaFree(bd));
  CUDA_CHECK(cudaFree(cd));
  check(same(c, want), "sum of two vectors of %d elements", n);
}

int main() {
  for (int n : {1600, 1, 15, 159, 160, 161, 12345})
    run(n);
  return exitCode();
}
