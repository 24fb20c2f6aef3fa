// RUN: %heddle cc -lineinfo %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_DISABLE=spell-out-targets %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call through a pointer that is no function's, in some lanes.
#include <cstdio>

typedef int (*Function)(int);
__device__ int next(int x) { return x + 1; }
__device__ int twice(int x) { return x * 2; }
__device__ Function table[3] = {next, twice, nullptr};

__global__ void kernel(int *out, int kinds) {
  out[threadIdx.x] = table[threadIdx.x % kinds](threadIdx.x);
}

int main() {
  int *out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  kernel<<<1, 64>>>(out, 2);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", out[2], out[3]);
  // CHECK: 3 6
  std::fflush(stdout);
  kernel<<<1, 32>>>(out, 3);
  // CHECK: call of 0x0, which is no device function in kernel kernel(int*, int)
  // CHECK-NEXT: at {{.*}}call_of_nothing.cu:17
  // CHECK-NEXT: by thread (2,0,0) in block (0,0,0)
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  // CHECK: cudaErrorIllegalInstruction
}
