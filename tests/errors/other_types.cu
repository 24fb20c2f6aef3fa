// RUN: %nvcc -rdc=true -DDEFINE -c %s -o %t.1.o && %nvcc -rdc=true -c %s -o %t.2.o && %nvcc %t.1.o %t.2.o -o %t && %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device function that one file declares with other types than another file defines it with.
#include <cstdio>

#ifdef DEFINE
extern "C" __device__ __noinline__ float half(float value) { return value / 2; }
#else
extern "C" __device__ int half(int value);

__global__ void halve(int *p) { *p = half(*p); }

int main() {
  int *p;
  cudaMalloc(&p, sizeof *p);
  halve<<<1, 1>>>(p);
  // CHECK: kernel 'halve(int*)': {{.*}}other_types.cu:14:{{[0-9]+}}: error: 'half' is defined with other types than this call of it has
  // CHECK: cudaErrorInvalidPtx
  fflush(stderr);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
#endif
