// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_GUARD=error %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_GUARD=error HEDDLE_DISABLE=promote-shared %t 2>&1 | FileCheck %s
// CHECK: sumOfBlock
// CHECK: outside shared memory
// CHECK: the host goes on
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch that gives less dynamic shared memory than the kernel uses, also where that would be in registers. With
// enough it runs.
#include "lost.h"

__global__ void sumOfBlock(const float *in, float *out) {
  extern __shared__ float cells[];
  int t = threadIdx.x;
  cells[t] = in[t];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half)
      cells[t] += cells[t + half];
    __syncthreads();
  }
  if (t == 0)
    *out = cells[0];
}

int main() {
  const int threads = 256;
  float *in = nullptr, *out = nullptr, ones[threads], sum = 0;
  for (float &one : ones)
    one = 1;
  if (cudaMalloc(&in, sizeof ones) != cudaSuccess || cudaMalloc(&out, sizeof sum) != cudaSuccess)
    return 2;
  cudaMemcpy(in, ones, sizeof ones, cudaMemcpyHostToDevice);
  sumOfBlock<<<1, threads, sizeof ones>>>(in, out);
  if (cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost) != cudaSuccess || sum != threads)
    return 3;
  sumOfBlock<<<1, threads, sizeof ones / 2>>>(in, out);
  return expectLost(cudaErrorIllegalAddress);
}
