// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int shared = 5;
__constant__ int scale[2];
static __device__ int hidden = 2;

__device__ int helper(int x) { return x * hidden; }

__global__ void read(int *result) { *result = hidden; }

int fromOther() {
  int *device, result = 0;
  cudaMalloc(&device, sizeof(int));
  read<<<1, 1>>>(device);
  cudaMemcpy(&result, device, sizeof(int), cudaMemcpyDeviceToHost);
  return result;
}
