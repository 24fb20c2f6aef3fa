// RUN: %heddle cc %s -o %t
// RUN: %check --tool floatcheck --float-cancellation %s %t | FileCheck %s
// RUN: %heddle check --tool floatcheck %t 2>&1 | FileCheck --check-prefix=NONE %s
// CHECK: few digits are left, in kernel variance(float*, float const*)
// CHECK: by thread (0,0,0) in block (0,0,0)
// CHECK-NEXT: 1000000.{{[0-9]*}} - 1000000 = 0.{{[0-9]*}}
// NONE: ERROR SUMMARY: 0 errors
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Differences of nearly equal numbers, on request.

__global__ void variance(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = in[t] - 1e6f; // error: cancellation
}
__global__ void apart(float *out, const float *in) {
  int t = threadIdx.x;
  out[t] = in[t] - 9e5f;
}
__global__ void equal(float *out, const float *in) { // zero has all of its digits
  int t = threadIdx.x;
  out[t] = in[t] - in[t ^ 1];
}

int main() {
  float *out, *in;
  cudaMallocManaged(&out, 32 * sizeof(float));
  cudaMallocManaged(&in, 32 * sizeof(float));
  for (int i = 0; i < 32; i++)
    in[i] = 1e6f + 0.125f;
  variance<<<1, 32>>>(out, in);
  apart<<<1, 32>>>(out, in);
  equal<<<1, 32>>>(out, in);
  return cudaDeviceSynchronize() != cudaSuccess;
}
