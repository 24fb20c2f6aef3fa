// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

static Registered part("part");
__device__ int offset = 1000;

int sumOf(int value) {
  if (value < 0)
    throw std::runtime_error("negative");
  int *p, values[8], sum = 0;
  cudaMallocManaged(&p, sizeof values);
  fill<<<1, 8>>>(p, value);
  cudaMemcpy(values, p, sizeof values, cudaMemcpyDefault);
  for (int v : values)
    sum += v;
  int more = 0;
  cudaMemcpyFromSymbol(&more, offset, sizeof more);
  cudaFree(p);
  return sum + more;
}
