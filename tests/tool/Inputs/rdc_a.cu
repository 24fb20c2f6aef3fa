// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

extern __device__ int shared;
extern __constant__ int scale[2];
__device__ int helper(int x);
int fromOther();

static __device__ int hidden = 7; // the other file has one of this name
__device__ __managed__ int managed = 4;

__global__ void kernel(int *result) { *result = shared + helper(hidden) * scale[1] + managed; }

int main() {
  int *device, result = 0, read = 0, set[2] = {1, 10};
  cudaMalloc(&device, sizeof(int));
  cudaMemcpyToSymbol(scale, set, sizeof(set));
  int nine = 9;
  cudaMemcpyToSymbol(hidden, &nine, sizeof(nine));
  kernel<<<1, 1>>>(device);
  cudaMemcpy(&result, device, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&read, shared, sizeof(read));
  std::printf("%d %d %d\n", result, read, fromOther());
  return result == 5 + 9 * 2 * 10 + 4 && read == 5 && fromOther() == 2 ? 0 : 1;
}
