// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common.h"

#include <cstdio>

// parts.cu has others of these names.
namespace {
__device__ int privately(int x) { return x + 1; }
__device__ int state = 5;
} // namespace
static __device__ int own = 3;

__global__ void local(int *out, int x) {
  out[0] = helper(x);
  out[1] = deviceVariable;
  out[2] = int(table[3]);
  out[3] = managed;
  out[4] = counted(x);
  Shape *shape = makeSquare(4);
  out[5] = shape->area();
  delete shape;
  out[6] = functionPointer(5);
  out[7] = privately(1) + state + own;
  remote<<<1, 1>>>(out + 8, x); // a kernel of the other file, from device code
}

/// 0 if all is right.
extern "C" int runKernels() {
  constexpr int N = 10;
  const int want[N] = {14, 1234, 30, 99, 7, 16, 105, 10, 21, 24};
  float values[16];
  for (int i = 0; i < 16; i++)
    values[i] = i * 10;
  int *out, got[N] = {}, value = 1234, wrong = 0;
  cudaMalloc(&out, sizeof got);
  wrong += cudaMemcpyToSymbol(table, values, sizeof values) != cudaSuccess;
  wrong += cudaMemcpyToSymbol(deviceVariable, &value, sizeof value) != cudaSuccess;
  managed = 99;
  local<<<1, 1>>>(out, 7);
  remote<<<1, 1>>>(out + 9, 8);
  wrong += cudaDeviceSynchronize() != cudaSuccess;
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(out);
  for (int i = 0; i < N; i++)
    if (got[i] != want[i]) {
      std::printf("value %d is %d, want %d\n", i, got[i], want[i]);
      wrong++;
    }
  return wrong;
}
