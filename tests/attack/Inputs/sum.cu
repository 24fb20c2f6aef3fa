// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__global__ void sum(int *x) { atomicAdd(x, int(threadIdx.x)); }

int main() {
  int *x, value = 0;
  cudaMalloc(&x, 4);
  cudaMemset(x, 0, 4);
  sum<<<1, 256>>>(x);
  cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", value);
  return cudaGetLastError();
}
