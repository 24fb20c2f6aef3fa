// RUN: %heddle cc %s -o %t
// RUN: %heddle check --tool racecheck %t > %t.log 2>&1
// RUN: FileCheck %s < %t.log
// RUN: %heddle check --tool memcheck %t 2>&1 | FileCheck %s --check-prefix=MEMORY
// CHECK: warning: invalid global write in kernel overrun(int*, int)
// CHECK: Race between two writes of global memory (4 bytes), in kernel race(int*)
// CHECK: ERROR SUMMARY: 1 error
// MEMORY: Invalid global write of 4 bytes, in kernel overrun(int*, int)
// MEMORY: ERROR SUMMARY: 1 error
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small overrun goes on without memcheck, as in a plain run: what follows is looked at, too.
#include <cuda_runtime.h>

__global__ void overrun(int *p, int n) { p[threadIdx.x + n] = 1; }
__global__ void race(int *p) { p[0] = int(threadIdx.x + blockIdx.x * blockDim.x); }

int main() {
  int *p;
  cudaMalloc(&p, 256);
  overrun<<<1, 64>>>(p, 1);
  race<<<2, 32>>>(p);
  cudaError_t error = cudaDeviceSynchronize();
  cudaFree(p);
  return error;
}
