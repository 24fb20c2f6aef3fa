// RUN: %heddle cc -g %s -o %t
// RUN: rm -rf %t.cache
// RUN: not env CUDA_CACHE_PATH=%t.cache %heddle check --tool racecheck --error-exitcode 1 %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A race that is known when the program ends: host code has its lines where the kernel is compiled in this run, too.
#include "../../run/support.h"

__global__ void add(float *p) { p[threadIdx.x] += 1; }

int main() {
  float *d, *h;
  CUDA_OK(cudaMalloc(&d, 512));
  CUDA_OK(cudaMemset(d, 0, 512));
  CUDA_OK(cudaMallocHost(&h, 512));
  cudaStream_t a, b;
  CUDA_OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA_OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CUDA_OK(cudaDeviceSynchronize());
  // CHECK: Race between write and read of global memory
  // CHECK: the other read by cudaMemcpyAsync
  // CHECK-NEXT: first_run.cu:[[# @LINE + 5]]:{{.*}} in main
  // CHECK: launched by
  // CHECK-NEXT: first_run.cu:[[# @LINE + 2]]:{{.*}} in main
  // CHECK: ERROR SUMMARY: 1 error
  add<<<1, 128, 0, a>>>(d);
  CUDA_OK(cudaMemcpyAsync(h, d, 512, cudaMemcpyDeviceToHost, b));
  CUDA_OK(cudaDeviceSynchronize());
}
