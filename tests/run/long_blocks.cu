// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Straight code of hundreds of statements, which the back end gets in parts (emit/split_blocks.cpp), and a hundred
// branches, whose joins are found without a look at all that came before (simt/widen/slots.cpp).
//
// RUN: %nvcc %s -o %t && %t | FileCheck %s
// CHECK: same
#include <cstdio>

#define TEN(i) \
  STEP(a, b, c, i) STEP(b, c, d, i + 1) STEP(c, d, e, i + 2) STEP(d, e, a, i + 3) STEP(e, a, b, i + 4) \
  STEP(a, c, e, i + 5) STEP(b, d, a, i + 6) STEP(c, e, b, i + 7) STEP(d, a, c, i + 8) STEP(e, b, d, i + 9)
#define HUNDRED(i) \
  TEN(i) TEN(i + 1) TEN(i + 2) TEN(i + 3) TEN(i + 4) TEN(i + 5) TEN(i + 6) TEN(i + 7) TEN(i + 8) TEN(i + 9)

struct Values {
  unsigned a, b, c, d, e;
};

__host__ __device__ unsigned straight(Values v) {
  auto [a, b, c, d, e] = v;
#define STEP(x, y, z, i) x = (y ^ (z << ((i) % 7 + 1))) + (x ^ x >> 15) * (2 * (i) + 3);
  HUNDRED(0) HUNDRED(10) HUNDRED(20) HUNDRED(30) HUNDRED(40) HUNDRED(50) HUNDRED(60) HUNDRED(70) HUNDRED(80)
#undef STEP
  return a ^ b ^ c ^ d ^ e;
}

__host__ __device__ unsigned branching(Values v) {
  auto [a, b, c, d, e] = v;
#define STEP(x, y, z, i) \
  if (y & (1 << (i) % 9)) \
    x += z; \
  else if (z > y) \
    x ^= 77 * (i) + y;
  HUNDRED(0)
#undef STEP
  return a ^ b ^ c ^ d ^ e;
}

__host__ __device__ Values valuesOf(unsigned i) { return {i, i * 3 + 1, i ^ 1234567, i * i, ~i}; }

__global__ void run(unsigned *x, unsigned *y) {
  unsigned i = threadIdx.x;
  Values values = valuesOf(x[i]);
  x[i] = straight(values);
  y[i] = branching(values);
}

int main() {
  constexpr unsigned Count = 50;
  unsigned *x;
  cudaMallocManaged(&x, 2 * Count * sizeof *x);
  for (unsigned i = 0; i < Count; i++)
    x[i] = i * 12345;
  run<<<1, Count>>>(x, x + Count);
  cudaDeviceSynchronize();
  unsigned wrong = 0;
  for (unsigned i = 0; i < Count; i++)
    wrong += x[i] != straight(valuesOf(i * 12345)) || x[i + Count] != branching(valuesOf(i * 12345));
  printf(wrong ? "%u differ\n" : "same\n", wrong);
}
