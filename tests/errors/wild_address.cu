// RUN: %heddle cc %s -o %t
// RUN: %widths %t 2>&1 | FileCheck %s
// CHECK: {{.*}}wildStore{{.*}}
// CHECK: wild_address.cu:
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store through a wild pointer: cudaErrorIllegalAddress, the report names kernel and line, the context is lost.
#include "lost.h"

__global__ void wildStore(int *p, int which) {
  if (threadIdx.x == which)
    p[1] = 5;
}

int main() {
  wildStore<<<2, 40>>>(reinterpret_cast<int *>(0x7fdeadbe0000ull), 35);
  return expectLost(cudaErrorIllegalAddress);
}
