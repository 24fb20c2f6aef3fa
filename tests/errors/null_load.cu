// RUN: %heddle run %s 2>&1 | FileCheck %s
// CHECK: nullLoad
// CHECK: null_load.cu:
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load through a null pointer.
#include "lost.h"

__device__ int result;
__global__ void nullLoad(const int *p) { result = p[threadIdx.x]; }

int main() {
  nullLoad<<<1, 32>>>(nullptr);
  return expectLost(cudaErrorIllegalAddress);
}
