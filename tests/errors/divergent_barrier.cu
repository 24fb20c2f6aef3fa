// HARDWARE: undefined
// RUN: %heddle run %s 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %heddle run %s 2>&1 | FileCheck %s
// CHECK: divergent
// CHECK: divergent_barrier.cu:[[#@LINE+12]]
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier that only the even threads reach, while the odd ones run on: an error with both places, not a hang.
#include "lost.h"

__global__ void divergent(int *out) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
  }
  out[threadIdx.x] += 1;
  __syncthreads();
}

int main() {
  int *out = nullptr;
  if (cudaMalloc(&out, 64 * sizeof(int)) != cudaSuccess)
    return 2;
  divergent<<<1, 64>>>(out);
  return expectLost(cudaErrorLaunchFailure);
}
