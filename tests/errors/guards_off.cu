// RUN: %nvcc %s -o %t
// RUN: env HEDDLE_GUARD=0 %t 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %t 2>&1 | FileCheck %s --check-prefix=ON
// RUN: not env HEDDLE_GUARD=error %t 2>&1 | FileCheck %s --check-prefix=ERROR
// OFF-NOT: =====
// OFF: cudaSuccess 4950
// ON: ========= warning: invalid global read in kernel sum(int const*, int, int*)
// ON-NEXT: at {{.*}}guards_off.cu:28
// ON-NEXT: by thread (0,0,0) in block (0,0,0)
// ON-NEXT: is {{[0-9]+}} bytes {{before|after}} the nearest allocation: 400 bytes of device memory
// ON-NEXT: (a GPU lets small overruns pass, too; HEDDLE_GUARD=error ends the kernel)
// ON-NOT: =====
// ON: cudaSuccess 4950
// ERROR: ========= invalid global read in kernel sum
// ERROR: cudaErrorIllegalAddress
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that reads a little before and behind its memory and makes nothing of it, as it may on a GPU.
#include <cstdio>

__device__ int sink;

__global__ void sum(const int *p, int n, int *result) {
  int total = 0;
  for (int i = -2000; i < n + 2000; ++i) {
    int value = p[i];
    if (i >= 0 && i < n)
      total += value;
    else
      sink = value;
  }
  *result = total;
}

int main() {
  const int n = 100;
  int values[n], *p, *result, got = 0;
  for (int i = 0; i < n; ++i)
    values[i] = i;
  cudaMalloc(&p, sizeof(values));
  cudaMalloc(&result, sizeof(int));
  cudaMemcpy(p, values, sizeof(values), cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(p, n, result);
  cudaError_t error = cudaMemcpy(&got, result, sizeof(int), cudaMemcpyDeviceToHost);
  fflush(stderr);
  printf("%s %d\n", cudaGetErrorName(error), got);
  return error != cudaSuccess;
}
