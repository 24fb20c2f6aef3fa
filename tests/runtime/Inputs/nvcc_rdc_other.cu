// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For nvcc_shared.test: device code in two files, and a kernel that launches one.
#include <cstdio>

__device__ int number = 100;
__device__ int twice(int x) { return 2 * x; }
__global__ void child(int x) { std::printf("child %d\n", x); }
__global__ void parent() { child<<<1, 1>>>(number + 2); }

void other() {
  int n = 5;
  cudaMemcpyToSymbol(number, &n, sizeof n);
  parent<<<1, 1>>>();
  cudaDeviceSynchronize();
}
