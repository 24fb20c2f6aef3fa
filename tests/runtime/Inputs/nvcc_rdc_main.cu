// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For nvcc_shared.test: device code in two files, and a kernel that launches one.
#include <cstdio>

__device__ int twice(int);
extern __device__ int number;
__global__ void add(int *p) { p[threadIdx.x] = twice(threadIdx.x) + number; }
void other();

int main() {
  int *p;
  cudaMallocManaged(&p, 32 * sizeof *p);
  add<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", p[0], p[31]);
  other();
}
