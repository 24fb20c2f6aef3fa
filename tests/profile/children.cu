// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that kernels launch are counted, too, with their lines.
// RUN: %heddle cc -rdc=true -O3 %s -o %t && env HEDDLE_COUNT=1 %t 2>&1 | FileCheck %s
__global__ void child(int *a, int by) { a[threadIdx.x] += by; }

__global__ void parent(int *a) {
  if (threadIdx.x == 0)
    child<<<1, 64>>>(a, 3);
}

int main() {
  int *a;
  cudaMalloc(&a, 256);
  cudaMemset(a, 0, 256);
  parent<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}

// CHECK: counted: parent(int*) grid 1 1 1 block 32 1 1: 1 of 1 blocks
// CHECK: children.cu:10:
// CHECK: counted: child(int*, int) grid 1 1 1 block 64 1 1: 1 of 1 blocks
// CHECK: children.cu:6:
// CHECK-NEXT: global load of 4: 2 requests, 64 lanes
// CHECK: global store of 4: 2 requests, 64 lanes
