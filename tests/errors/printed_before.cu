// RUN: %heddle cc %s -o %t
// RUN: not %t 2>/dev/null | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel has printed before it failed is shown, though the host looks only after that.
// CHECK: before 3
// CHECK: cudaErrorLaunchFailure
#include <cstdio>

#include <unistd.h>

__global__ void fail(int n) {
  printf("before %d\n", n);
  __trap();
}

int main() {
  fail<<<1, 1>>>(3);
  while (cudaPeekAtLastError() == cudaSuccess && cudaStreamQuery(nullptr) == cudaErrorNotReady)
    usleep(1000);
  usleep(1000);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess;
}
