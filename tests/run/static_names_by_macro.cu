// RUN: %nvcc -rdc=true -c -DVALUE=1 %s -o %t.1.o
// RUN: %nvcc -rdc=true -c -DVALUE=2 %s -o %t.2.o
// RUN: %nvcc -rdc=true %t.1.o %t.2.o -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two objects of one source, compiled with other macros: each has its own static kernels and variables.
#include "support.h"

static __device__ int number = 10 * VALUE;
static __global__ void kernel(int *p) { *p = number + VALUE; }

#define RUN_OF(value) run##value
#define RUN(value) RUN_OF(value)

int RUN(VALUE)() {
  Buffer<int> p(std::vector<int>{0});
  kernel<<<1, 1>>>(p);
  checkLaunch();
  int own = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&own, number, sizeof own));
  return 100 * own + p.get()[0];
}

#if VALUE == 1
int run2();

int main() {
  expect("the first", 0, run1(), 1011);
  expect("the second", 0, run2(), 2022);
  return finish();
}
#endif
