// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module of driver_calls.cpp.
extern "C" {
__device__ int counter = 5;
__constant__ float factors[16] = {1, 2, 3};
__managed__ int shown = 7;

__global__ void nothing() {}
__global__ void add(int *sum, int n, float) {
  if (n > 0)
    atomicAdd(sum, n);
  counter += factors[0] > 0;
}
__global__ void __launch_bounds__(64) bounded(int *sum) {
  __shared__ int cells[64];
  cells[threadIdx.x] = *sum;
  __syncthreads();
  *sum = cells[blockDim.x - 1 - threadIdx.x] + shown;
}
}
