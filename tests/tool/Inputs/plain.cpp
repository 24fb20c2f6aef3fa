// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cuda_runtime.h>

int main() {
  float4 value = make_float4(1, 2, 3, 4), copy = {};
  void *device = nullptr;
  if (cudaMalloc(&device, sizeof(value)) != cudaSuccess)
    return 1;
  cudaMemcpy(device, &value, sizeof(value), cudaMemcpyHostToDevice);
  cudaMemcpy(&copy, device, sizeof(value), cudaMemcpyDeviceToHost);
  return copy.w == 4 ? 0 : 2;
}
