// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++17 has taken `register` out; nvcc warns, and so do we.
// RUN: %heddle cc -std=c++17 %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// CHECK: register.cu:[[@LINE+3]]:{{.*}}warning:{{.*}}register
// CHECK-NOT: error
__global__ void kernel(int *out) {
  register int x = 3;
  *out = x;
}

int main() {
  int *out, result = 0;
  cudaMalloc(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  cudaMemcpy(&result, out, sizeof(int), cudaMemcpyDeviceToHost);
  return result != 3;
}
