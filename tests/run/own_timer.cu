// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs read the global timer by a function of their own, which often has the compiler's name.
// RUN: %heddle run %s
#include "support.h"

__device__ __forceinline__ unsigned long long __globaltimer() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

__global__ void wait(unsigned long long nanoseconds, unsigned long long *waited) {
  unsigned long long start = __globaltimer();
  while (__globaltimer() - start < nanoseconds)
    ;
  *waited = __globaltimer() - start;
}

int main() {
  Buffer<unsigned long long> waited(1);
  wait<<<1, 1>>>(1000, waited);
  checkLaunch();
  expectTrue("waited", waited.get()[0] >= 1000);
  return finish();
}
