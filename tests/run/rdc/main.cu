// RUN: %heddle cc -rdc=true -c %s -o %t.main.o -I %S
// RUN: %heddle cc -dc %S/other.cu_ -x cu -o %t.other.o -I %S
// RUN: %heddle cc %t.main.o %t.other.o -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Separable compilation: device functions, variables, constants, virtual functions and function pointers across two
// files, a kernel of one launched from the other.
#include "../support.h"
#include "common.h"

static __device__ int twice(int x) { return 2 * x; } // other.cu_ has another of this name

struct Here : Base {
  int v;
  __device__ explicit Here(int n) : v(n) {}
  __device__ int value() const override { return v * 100; }
};

__global__ void use(int *out, int n) {
  int i = threadInGrid();
  if (i >= n)
    return;
  alignas(16) char memory[2][32];
  Base *there = makeBase(memory[0], i);
  Here here(i);
  const Base *either = i & 1 ? there : static_cast<const Base *>(&here);
  out[i] = helper(i) + int(scaled(2.0f, i & 3)) + twice(i) * 1000 + callBack(twice, i) + either->value();
  atomicAdd(&shared_counter, 1);
}

int main() {
  const int n = 100;
  const float newFactors[4] = {10, 20, 30, 40};
  CUDA_OK(cudaMemcpyToSymbol(factors, newFactors, sizeof newFactors));
  Buffer<int> out(n);
  use<<<3, 40>>>(out, n);
  checkLaunch();
  std::vector<int> want;
  for (int i = 0; i < n; i++)
    want.push_back(3 * i + 1 + (i & 3) * 20 + 20 + 2000 * i + 2 * i + 5 + (i & 1 ? i + 7 : i * 100));
  expectAll("use", out.get(), want);
  int counter;
  CUDA_OK(cudaMemcpyFromSymbol(&counter, shared_counter, sizeof counter));
  expect("counter", 0, counter, 42 + n);
  otherKernel<<<1, 1>>>(out);
  checkLaunch();
  expect("kernel of the other file", 0, out.get()[0], 42 + n);
  return finish();
}
