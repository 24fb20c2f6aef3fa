// RUN: %heddle run %s 2>&1 | FileCheck %s
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A load of a float4 from an address that is no multiple of 16: cudaErrorMisalignedAddress.
#include "lost.h"

__global__ void misaligned(const char *in, float *out) {
  float4 v = *reinterpret_cast<const float4 *>(in + 4);
  out[0] = v.x + v.y + v.z + v.w;
}

int main() {
  char *in = nullptr;
  float *out = nullptr;
  if (cudaMalloc(&in, 64) != cudaSuccess || cudaMalloc(&out, 64) != cudaSuccess)
    return 2;
  misaligned<<<1, 1>>>(in, out);
  return expectLost(cudaErrorMisalignedAddress);
}
