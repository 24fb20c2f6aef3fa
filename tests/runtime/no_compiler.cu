// RUN: %nvcc %s -o %t
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_JIT_LIBRARY=/no/such/libheddle_jit.so %t 2>&1 | FileCheck %s
// RUN: %nvcc -rdc=true %s -o %t.rdc
// RUN: env CUDA_CACHE_DISABLE=1 HEDDLE_JIT_LIBRARY=/no/such/libheddle_jit.so %t.rdc 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No compiler can be loaded: the launch says so, and so does whatever comes after it, for a program that looks at its
// synchronisations only.
#include <cstdio>

__global__ void addOne(int *x) { atomicAdd(x, 1); }
__global__ void addTwo(int *x) { atomicAdd(x, 2); }

int main() {
  int *x, result = 0;
  cudaMalloc(&x, sizeof(int));
  addOne<<<1, 32>>>(x);
  printf("launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  addTwo<<<1, 32>>>(x);
  printf("second launch: %s\n", cudaGetErrorName(cudaGetLastError()));
  printf("synchronize: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("copy: %s\n", cudaGetErrorName(cudaMemcpy(&result, x, sizeof(int), cudaMemcpyDeviceToHost)));
  // A reset gives a device that has no compiler either.
  printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
  addOne<<<1, 32>>>(nullptr);
  printf("after it: %s, %s\n", cudaGetErrorName(cudaGetLastError()), cudaGetErrorName(cudaDeviceSynchronize()));
}

// CHECK: heddle: {{.*}}a kernel must be compiled, but the compiler cannot be loaded: /no/such/libheddle_jit.so is missing
// CHECK-NOT: heddle:
// CHECK: launch: cudaErrorJitCompilerNotFound
// CHECK-NEXT: second launch: cudaErrorJitCompilerNotFound
// CHECK-NEXT: synchronize: cudaErrorJitCompilerNotFound
// CHECK-NEXT: copy: cudaErrorJitCompilerNotFound
// CHECK-NEXT: reset: cudaSuccess
// CHECK-NEXT: after it: cudaErrorJitCompilerNotFound, cudaErrorJitCompilerNotFound
