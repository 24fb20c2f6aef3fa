// RUN: %nvcc %s -o %t && %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that cannot be compiled for the CPU: every launch fails, and the reason is said once. So
// does the next synchronisation, for programs that look only there.
#include <cstdio>

__global__ void counter(unsigned *p) { *p = __nvvm_read_ptx_sreg_pm0(); }

int main() {
  int failed = 0;
  for (int i = 0; i < 100; ++i) {
    counter<<<1, 32>>>(nullptr);
    failed += cudaGetLastError() == cudaErrorInvalidPtx;
  }
  fflush(stderr);
  // CHECK: kernel 'counter(unsigned int*)': {{.*}}uncompilable.cu:10:{{[0-9]+}}: error: 'llvm.nvvm.read.ptx.sreg.pm0' is not supported on the CPU
  // CHECK-NOT: counter(
  // CHECK: 100 failed, then cudaErrorInvalidPtx, then cudaSuccess
  printf("%d failed, then %s", failed, cudaGetErrorName(cudaDeviceSynchronize()));
  printf(", then %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  // CHECK: failed, then cudaErrorInvalidPtx from a copy
  int host = 0, *device;
  cudaMalloc(&device, 4);
  counter<<<1, 32>>>(nullptr);
  printf("failed, then %s from a copy\n", cudaGetErrorName(cudaMemcpy(&host, device, 4, cudaMemcpyDefault)));
}
