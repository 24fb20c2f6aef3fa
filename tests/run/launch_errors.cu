// RUN: %heddle run %s
// RUN: env HEDDLE_CUDA_VERSION=13 %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches with a bad configuration fail with CUDA's codes, run nothing, and do not hurt the context.
#include "support.h"

__global__ void mark(int *out) {
  extern __shared__ int dynamic[];
  dynamic[0] = 1;
  *out = 1;
}
__global__ void __launch_bounds__(64) bounded(int *out) { *out = 2; }

static void launch(const char *what, dim3 grid, dim3 block, size_t shared, cudaError_t want, int *out) {
  mark<<<grid, block, shared>>>(out);
  expectError(what, cudaPeekAtLastError(), want);
  expectError(what, cudaGetLastError(), want);
  expectError("then none", cudaGetLastError(), cudaSuccess);
  CUDA_OK(cudaDeviceSynchronize());
}

// What 12.x says of a bad shape; 13 says cudaErrorInvalidValue.
static const cudaError_t BadShape = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;

int main() {
  Buffer<int> out(1);
  launch("no blocks", dim3(0), dim3(32), 64, BadShape, out);
  launch("no threads", dim3(1), dim3(0), 64, BadShape, out);
  launch("1025 threads", dim3(1), dim3(1025), 64, BadShape, out);
  launch("2048 threads", dim3(1), dim3(64, 32), 64, BadShape, out);
  launch("block.z", dim3(1), dim3(1, 1, 65), 64, BadShape, out);
  launch("grid.y", dim3(1, 65536), dim3(1), 64, BadShape, out);
  launch("grid.z", dim3(1, 1, 65536), dim3(1), 64, BadShape, out);
  launch("grid.x", dim3(0x80000000u), dim3(1), 64, BadShape, out);
  launch("shared memory", dim3(1), dim3(32), 64 * 1024, cudaErrorInvalidValue, out);
  bounded<<<1, 96>>>(out);
  expectError("launch bounds", cudaGetLastError(), cudaErrorInvalidValue);
  expect("nothing ran", 0, out.get()[0], 0);
  mark<<<1, 1024, 48 * 1024>>>(out);
  expectError("the limits", cudaGetLastError(), cudaSuccess);
  expect("it ran", 0, out.get()[0], 1);
  bounded<<<1, 64>>>(out);
  expectError("in bounds", cudaGetLastError(), cudaSuccess);
  expect("it ran", 1, out.get()[0], 2);
  int notAKernel;
  void *args[] = {nullptr};
  // 13 takes the address for a handle first.
  expectError("no kernel", cudaLaunchKernel(&notAKernel, dim3(1), dim3(1), args, 0, nullptr),
              CUDART_VERSION >= 13000 ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
  return finish();
}
