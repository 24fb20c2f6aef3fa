// RUN: %nvcc %s -o %t
// RUN: not %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HARDWARE: undefined
//
// A small overrun, and then an access far from all memory. The block runs again to find the thread of the second,
// which tells of the first no more.
#include <cstdio>

__device__ int sink[32];

__global__ void sum(const int *p, int *far) {
  int value = p[threadIdx.x * 20];
  sink[threadIdx.x] = value;
  if (threadIdx.x == 5)
    far[value] = 1;
}

int main() {
  int *p;
  cudaMalloc(&p, 300 * sizeof(int));
  cudaMemset(p, 0, 300 * sizeof(int));
  sum<<<1, 32>>>(p, reinterpret_cast<int *>(0x7fdeadbe0000));
  cudaError_t error = cudaDeviceSynchronize();
  fflush(stderr);
  printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}

// CHECK: warning: invalid global read in kernel sum
// CHECK-NOT: warning: invalid
// CHECK: invalid global write in kernel sum
// CHECK-NEXT: overrun_and_wild.cu:18
// CHECK-NEXT: by thread (5,0,0) in block (0,0,0)
// CHECK-NOT: warning: invalid
// CHECK: cudaErrorIllegalAddress
