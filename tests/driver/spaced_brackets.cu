// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as some editors format them. Places in messages and dependencies are the file's own.
// RUN: %nvcc -MD -MF %t.d %s -o %t && %t
// RUN: FileCheck %s --check-prefix=DEPENDS < %t.d
// DEPENDS: spaced_brackets.cu
// DEPENDS-NOT: source.cu
// RUN: %heddle run %s
// RUN: not %nvcc -DMISTAKE -c %s -o %t.o 2>&1 | FileCheck %s
// CHECK: {{^}}{{[^ ]*}}spaced_brackets.cu:[[# @LINE + 10]]:12: error: use of undeclared identifier 'missing'
#include <cstdio>

template <typename T> __global__ void fill(T *p, T value) { p[threadIdx.x] = value; }

int main() {
  int *p;
  cudaMallocManaged(&p, 64 * sizeof(int));
  fill<int> << <1, dim3(64 >> 1, 2) >> > (p, 5);
#ifdef MISTAKE
  fill << <missing, 32 >> > (p, 7);
#endif
  cudaError_t error = cudaDeviceSynchronize();
  return error != cudaSuccess || p[31] != 5;
}
