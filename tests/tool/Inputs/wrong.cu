// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wrong.h"

__global__ void kernel(int *p) { *p = both_sides; }

__device__ int device_side() {
  static thread_local int x = 1;
  return x;
}

#ifdef __CUDA_ARCH__
#warning seen by the device half
#endif

int main() {
  kernel<<<1>>>(0);
  return "text";
}
