// RUN: %heddle run %s 2>&1 | FileCheck %s
// CHECK: walk
// CHECK: abreast.cu:21
// CHECK: block (5,0,0)
// CHECK: the host goes on
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of several blocks that take turns writes to a wild address in its third step: the report names it.
#include "lost.h"

__global__ void walk(int rows, const float *in, float *out, size_t wild) {
  __shared__ float cells[64];
  int width = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int y = 0; y < rows; ++y, i += width) {
    cells[threadIdx.x] = in[i];
    __syncthreads();
    // Far outside of what was allocated.
    size_t far = blockIdx.x == 5 && y == 2 ? wild : 0;
    out[i + far] = cells[63 - threadIdx.x];
    __syncthreads();
  }
}

int main() {
  const int blocks = 16, rows = 6;
  float *in = nullptr, *out = nullptr;
  size_t bytes = blocks * 64 * rows * sizeof(float);
  if (cudaMalloc(&in, bytes) != cudaSuccess || cudaMalloc(&out, bytes) != cudaSuccess)
    return 2;
  cudaMemset(in, 0, bytes);
  walk<<<blocks, 64>>>(rows, in, out, (0x7fdeadbe0000 - reinterpret_cast<size_t>(out)) / sizeof(float));
  return expectLost(cudaErrorIllegalAddress);
}
