// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "add.h"

__constant__ int offset = 2;
__device__ int counter;

__global__ void add(const int *a, int *b) {
  __shared__ int tile[32];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  b[threadIdx.x] = tile[threadIdx.x] + offset;
}

int addOnDevice(int value) {
  int in[32], out[32], *a, *b;
  for (int i = 0; i < 32; ++i)
    in[i] = value + i;
  cudaMalloc(&a, sizeof(in));
  cudaMalloc(&b, sizeof(out));
  cudaMemcpy(a, in, sizeof(in), cudaMemcpyHostToDevice);
  add<<<1, 32>>>(a, b);
  cudaMemcpy(out, b, sizeof(out), cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(b);
  return out[31];
}
