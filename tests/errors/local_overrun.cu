// RUN: %heddle cc -o %t %s
// RUN: %widths %t 64 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=8 %t 400 2>&1 | FileCheck %s
// RUN: %t 40000 2>&1 | FileCheck %s
// CHECK: ========= invalid write in kernel above(int*, int): beyond a thread's local memory
// CHECK-NEXT: local_overrun.cu:[[@LINE+18]]
// CHECK-NEXT: by {{thread|a thread of}} ({{.*}} in block ({{[0-9]+}},0,{{[01]}})
// CHECK: the host goes on
// CHECK-NOT: got
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that writes far above an array of its own. It may overwrite what counts the blocks, so that one is named which
// comes next.
#include "lost.h"

#include <cstdlib>

__global__ void above(int *out, int count) {
  int a[16];
  for (int i = 0; i < count; i++)
    a[i] = i * out[i & 3];
  out[threadIdx.x] = a[count & 15];
}

int main(int, char **argv) {
  int *out;
  cudaMalloc(&out, 4096);
  cudaMemset(out, 1, 4096);
  above<<<2, 256>>>(out, std::atoi(argv[1]));
  return expectLost(cudaErrorIllegalAddress);
}
