// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API are named where the program calls them.
// RUN: %heddle cc -g %s -o %t -lcuda && %check --tool memcheck %s %t | FileCheck %s
// CHECK: is 0 bytes behind an allocation of 128 bytes
// CHECK-NEXT: allocated by cuMemAlloc_v2
// CHECK: launched by cudaLaunchKernel
// CHECK: Use after free
// CHECK: allocated by cudaMalloc
// CHECK: freed by cuMemFree_v2
#include <cuda.h>

__global__ void behind(int *a, int n) { a[threadIdx.x] = n; } // error: out-of-bounds-access
__global__ void freed(int *a) { a[threadIdx.x] = 1; }         // error: use-after-free

int main() {
  cuInit(0);
  int *a;
  cudaMalloc(&a, 128);
  CUdeviceptr b;
  cuMemAlloc(&b, 128);
  behind<<<1, 33>>>(reinterpret_cast<int *>(b), 1);
  cudaDeviceSynchronize();
  cuMemFree(reinterpret_cast<CUdeviceptr>(a));
  freed<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
