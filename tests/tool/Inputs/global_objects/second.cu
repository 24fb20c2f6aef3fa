// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__managed__ int result = 1;
__device__ int plusOne(int value) { return value + result; }
__global__ void kernel(int value) { result = plusOne(value); }

int launchOther(int value) {
  result = 1;
  kernel<<<1, 1>>>(value);
  return cudaDeviceSynchronize() == cudaSuccess ? result : -1;
}
