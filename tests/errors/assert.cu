// RUN: %heddle cc %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %t 2>&1 | FileCheck %s
// CHECK: assert.cu:[[#@LINE+14]]: {{.*}}asserts{{.*}} block: [1,0,0], thread: [37,0,0] Assertion `in[threadIdx.x] != 37` failed.
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A failed assert: the message in CUDA's form, cudaErrorAssert.
#include "lost.h"

#include <cassert>

__global__ void asserts(const int *in) {
  if (blockIdx.x == 1)
    assert(in[threadIdx.x] != 37);
}

int main() {
  int host[64], *in = nullptr;
  for (int i = 0; i < 64; i++)
    host[i] = i;
  if (cudaMalloc(&in, sizeof host) != cudaSuccess || cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice) != cudaSuccess)
    return 2;
  asserts<<<2, 64>>>(in);
  return expectLost(cudaErrorAssert);
}
