// RUN: %heddle run %s 2>&1 | FileCheck %s
// CHECK: traps
// CHECK: trap.cu:
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __trap() in one thread.
#include "lost.h"

__global__ void traps(int which) {
  if (threadIdx.x == which)
    __trap();
}

int main() {
  traps<<<1, 64>>>(33);
  return expectLost(cudaErrorLaunchFailure);
}
