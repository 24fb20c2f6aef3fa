// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that was compiled in another folder than it runs in: lines of device code have their text, too.
// RUN: cd %S/.. && %heddle cc -g tool/other_folder.cu -o %t
// RUN: cd / && %heddle check %t 2>&1 | FileCheck %s
// CHECK: Invalid global write of 4 bytes, in kernel behind(int*)
// CHECK-NEXT: at tool/other_folder.cu:[[#@LINE+2]]:
// CHECK-NEXT: a[threadIdx.x] = 1;
__global__ void behind(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64);
  behind<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
