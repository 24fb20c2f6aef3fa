// RUN: %nvcc %s -o %t && %t | FileCheck %s
// RUN: not %nvcc -DOTHER %s -o %t 2>&1 | FileCheck %s --check-prefix=OTHER
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs may define functions of their own with the names of clang's builtins that g++ has not, and call those that
// g++ computes in constant expressions.
#include <cmath>
#include <cstdint>
#include <cstdio>

static uint64_t inline __rdtsc() { return 41; }

__device__ __host__ constexpr double inverse() { return 1.0 / ::log(10.); }

__global__ void twice(int *p) { *p *= inverse() > 0.4 ? 2 : 0; }

#ifdef OTHER
// OTHER: use of undeclared identifier 'missing'
int other() { return missing; }
#endif

int main() {
  int *p;
  cudaMallocManaged(&p, sizeof(int));
  *p = int(__rdtsc()) + 1;
  twice<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  // CHECK: 84
  printf("%d\n", *p);
}
