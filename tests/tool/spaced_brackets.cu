// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as some editors format them, in sources and headers. Places in messages and dependencies are the file's own.
// RUN: %nvcc -MD -MF %t.d %s -o %t && %t
// RUN: FileCheck %s --check-prefix=DEPENDS < %t.d
// DEPENDS: spaced_brackets.cu
// DEPENDS-NOT: source.cu
// RUN: %heddle run %s
// RUN: not %nvcc -DMISTAKE -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: {{^}}{{[^ ]*}}spaced_brackets.cu:[[# @LINE + 9]]:12: error: use of undeclared identifier 'missing'
#include "Inputs/spaced_brackets.cuh"
#include <cstdio>

int main() {
  int *p;
  cudaMallocManaged(&p, 64 * sizeof(int));
  fill<int> << <1, dim3(64 >> 1, 2) >> > (p, 5);
#ifdef MISTAKE
  fill << <missing, 32 >> > (p, 7);
#endif
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess || p[31] != 5)
    return 1;
  launchFill(p, 8);
  return cudaDeviceSynchronize() != cudaSuccess || p[63] != 8;
}
