// RUN: not %heddle cc %s -o %t 2>&1 | FileCheck %s
// RUN: %heddle cc -rdc=true %s -o %t -lcudadevrt && %t
// RUN: %heddle cc -rdc=true -DCUDA_FORCE_CDP1_IF_SUPPORTED -arch=sm_70 %s -o %t -lcudadevrt && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel launch in device code needs relocatable device code, as under nvcc, and the message says so in nvcc's words.
// The other functions of the device runtime do not need it.
#include <cuda_runtime.h>

__global__ void child(int *x) { *x += 1; }

__global__ void parent(int *x) {
  int device = -1, *p = nullptr;
  *x = cudaGetDevice(&device) == cudaSuccess && device == 0 && cudaMalloc(&p, 4) == cudaSuccess &&
       cudaFree(p) == cudaSuccess;
  // CHECK: launch_needs_rdc.cu:[[@LINE+1]]:8: error: kernel launch from __device__ or __global__ function requires relocatable device code (-rdc=true)
  child<<<1, 1>>>(x);
}

int main() {
  int *x, got = 0;
  cudaMalloc(&x, sizeof(int));
  parent<<<1, 1>>>(x);
  cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost);
  return got == 2 ? 0 : 1;
}
