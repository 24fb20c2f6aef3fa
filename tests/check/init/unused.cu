// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is never written. Without the option it is no error.
// RUN: %heddle cc -g %s -o %t
// RUN: %check --tool initcheck --track-unused-memory %s %t | FileCheck %s
// RUN: %build/bin/heddle check --tool initcheck --error-exitcode 3 %t
#include <cstdio>

__global__ void fill(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = i;
}

int main() {
  int *all, *half, *none, *freed;
  cudaMalloc(&all, 400); // error: unread-memory
  // CHECK: Nothing has written to 200 bytes of 400 of device memory, allocated by cudaMalloc
  cudaMalloc(&half, 400); // error: unused-memory, unread-memory
  cudaMalloc(&none, 100); // error: unused-memory
  cudaMalloc(&freed, 64); // error: unused-memory
  fill<<<1, 128>>>(all, 100);
  fill<<<1, 128>>>(half, 50);
  cudaFree(freed);
  cudaFree(all);
  return cudaDeviceSynchronize();
}
