// RUN: %nvcc %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_GUARD=error %t 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: env HEDDLE_GUARD=0 %t | FileCheck %s --check-prefix=OFF
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HARDWARE: undefined
//
// A kernel that writes behind a __device__ array: the report names the array, and the way to let it pass.
#include <cstdio>

namespace app {
__device__ float table[1000];
}

__global__ void fill(int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    app::table[i] = i;
}

int main() {
  fill<<<1, 64>>>(1100);
  cudaError_t error = cudaDeviceSynchronize();
  fflush(stderr);
  printf("%s\n", cudaGetErrorName(error));
}

// CHECK: ========= warning: invalid global write in kernel fill(int)
// CHECK: at {{.*}}variable_overrun.cu:19
// CHECK: is {{[0-9]+}} bytes after the program's __device__ variables: app::table (4000 bytes)
// CHECK-NEXT: (a GPU lets small overruns pass, too; HEDDLE_GUARD=error ends the kernel)
// CHECK: cudaSuccess
// ERROR: ========= invalid global write in kernel fill(int)
// ERROR: cudaErrorIllegalAddress
// OFF-NOT: =========
// OFF: cudaSuccess
