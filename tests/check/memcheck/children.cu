// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of grids that kernels launch: where that was.
// RUN: %heddle cc -g -rdc=true -arch=sm_90 %s -o %t && %check --tool memcheck %s %t | FileCheck %s
// CHECK: Invalid global write of 4 bytes, in kernel child(int*, int)
// CHECK: allocated by cudaMalloc
// CHECK: launched by a kernel
// CHECK-NEXT: at {{.*}}children.cu:[[#@LINE+10]]:{{.*}} in start
// CHECK: called at {{.*}}children.cu:[[#@LINE+13]]:{{.*}} in parent
// CHECK-NOT: called at
// CHECK: ERROR SUMMARY: 1 error
__global__ void child(int *a, int n) {
  if (threadIdx.x <= n)
    a[threadIdx.x] = 1; // error: out-of-bounds-access
}

__device__ void start(int *a, int n) {
  child<<<1, 128>>>(a, n);
}
__global__ void parent(int *a, int n) {
  if (threadIdx.x == 0)
    start(a, n);
}

int main() {
  int *a;
  cudaMalloc(&a, 256);
  parent<<<1, 32>>>(a, 63);
  parent<<<1, 32>>>(a, 64);
  return cudaDeviceSynchronize();
}
