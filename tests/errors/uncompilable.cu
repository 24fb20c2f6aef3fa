// RUN: %nvcc %s -o %t && %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that cannot be compiled for the CPU: every launch fails, and the reason is said once.
#include <cstdio>

__global__ void fence() { asm volatile("wgmma.fence.sync.aligned;"); }

int main() {
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    fence<<<1, 32>>>();
    failed += cudaGetLastError() == cudaErrorInvalidPtx;
  }
  fflush(stderr);
  // CHECK: kernel 'fence()': {{.*}}uncompilable.cu:9:{{[0-9]+}}: error: inline PTX is not supported on the CPU: "wgmma.fence.sync.aligned;"
  // CHECK-NOT: fence()
  // CHECK: 100 failed, then cudaSuccess
  printf("%d failed, then %s\n", failed, cudaGetErrorName(cudaDeviceSynchronize()));
}
