// RUN: %heddle cc -o %t %s
// RUN: %widths %t 2>&1 | FileCheck %s
// RUN: %t together 2>&1 | FileCheck %s
// CHECK: invalid {{read|write}} in kernel {{recurse|together}}(int*, int): stack overflow (recursion too deep)
// CHECK-NEXT: stack_overflow.cu:
// CHECK-NEXT: by thread ({{.*}},0,0) in block (0,0,0)
// CHECK: the host goes on
// CHECK-NOT: got
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursion without end, with frames far larger than the page that guards the stack, of which only a part is used;
// also where each thread has a stack of its own, because they wait for each other in the recursion.
#include "lost.h"

__device__ __noinline__ int deep(volatile int *p, int n) {
  volatile int large[20000];
  large[n % 100] = n;
  return n == 0 ? *p : deep(p, n - 1) + large[n % 100];
}
__global__ void recurse(int *p, int n) { p[threadIdx.x] = deep(p, n); }

__device__ __noinline__ int deepTogether(volatile int *p, int n) {
  volatile int large[20000];
  large[n % 100] = n;
  __syncthreads();
  return n == 0 ? *p : deepTogether(p, n - 1) + large[n % 100];
}
__global__ void together(int *p, int n) { p[threadIdx.x] = deepTogether(p, n); }

int main(int argc, char **) {
  int *p = nullptr;
  cudaMalloc(&p, 4096);
  if (argc > 1)
    together<<<1, 64>>>(p, 1 << 30);
  else
    recurse<<<1, 64>>>(p, 1 << 30);
  return expectLost(cudaErrorIllegalAddress);
}
