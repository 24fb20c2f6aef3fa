// RUN: %heddle cc -rdc=true %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lambda of host code may launch a kernel, in relocatable device code too, where clang sees that it could also become
// device code.
#include <cuda_runtime.h>

__global__ void set(int *x) { *x = 7; }

int main() {
  int *x, got = 0;
  cudaMalloc(&x, sizeof(int));
  auto launch = [&] { set<<<1, 1>>>(x); };
  launch();
  cudaMemcpy(&got, x, sizeof got, cudaMemcpyDeviceToHost);
  return got == 7 ? 0 : 1;
}
