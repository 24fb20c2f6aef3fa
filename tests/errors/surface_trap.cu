// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: %t > %t.out 2> %t.err
// RUN: FileCheck %s --input-file=%t.err
//
// A surface access outside, in the boundary mode trap, is an illegal address.
// CHECK: invalid global write in kernel write(unsigned long long, int)
// CHECK-NEXT: surface_trap.cu:[[# @LINE + 5]]
#include "../run/support.h"

__global__ void write(cudaSurfaceObject_t s, int n) {
  const int x = threadIdx.x;
  surf1Dwrite(x, s, x * int(sizeof(int)) + (x == n ? 4096 : 0), cudaBoundaryModeTrap);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CUDA_OK(cudaMallocArray(&resource.res.array.array, &format, 64, 0, cudaArraySurfaceLoadStore));
  cudaSurfaceObject_t s;
  CUDA_OK(cudaCreateSurfaceObject(&s, &resource));
  write<<<1, 64>>>(s, 64);
  CUDA_OK(cudaDeviceSynchronize());
  write<<<1, 64>>>(s, 37);
  expectError("outside", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  return failures() != 0;
}
