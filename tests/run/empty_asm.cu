// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An empty asm statement is a barrier for the compiler and hands its operands on.
//
// RUN: %heddle cc %s -o %t
// RUN: %widths %t
#include "support.h"

__global__ void handOn(int *ints, float *floats, double *doubles) {
  int x = threadIdx.x;
  asm volatile("" : "+r"(x));
  float f = 2.5f;
  asm("" : "+f"(f) : "r"(x) : "memory");
  int a = x * 3, b = 7;
  double d = x;
  asm volatile("" : "+r"(a), "+r"(b), "+d"(d));
  asm volatile("" ::"r"(x) : "memory");
  ints[threadIdx.x] = x + a + b;
  floats[threadIdx.x] = f;
  doubles[threadIdx.x] = d;
}

int main() {
  Buffer<int> ints(64);
  Buffer<float> floats(64);
  Buffer<double> doubles(64);
  handOn<<<1, 64>>>(ints, floats, doubles);
  checkLaunch();
  std::vector<int> wantInts;
  std::vector<double> wantDoubles;
  for (int t = 0; t < 64; ++t) {
    wantInts.push_back(t + t * 3 + 7);
    wantDoubles.push_back(t);
  }
  expectAll("ints", ints.get(), wantInts);
  expectAll("floats", floats.get(), std::vector<float>(64, 2.5f));
  expectAll("doubles", doubles.get(), wantDoubles);
  return finish();
}
