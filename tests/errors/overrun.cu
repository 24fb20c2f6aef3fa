// RUN: %heddle run %s 2>&1 | FileCheck %s
// CHECK: overrun
// CHECK: overrun.cu:
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that walks far past the end of its allocation meets the guard page.
#include "lost.h"

__global__ void overrun(char *p, long long step) {
  for (long long i = 0; i < 1ll << 20; i++)
    p[i * step] = 1;
}

int main() {
  char *p = nullptr;
  if (cudaMalloc(&p, 1000) != cudaSuccess)
    return 2;
  overrun<<<1, 1>>>(p, 1 << 20); // 1 MB a step: 1 TB in all
  return expectLost(cudaErrorIllegalAddress);
}
