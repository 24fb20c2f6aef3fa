// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "saxpy.h"

__global__ static void saxpyKernel(int n, float a, const float *x, const float *z, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + z[i];
}

static void run(bench::Data &data) {
  using namespace saxpy;
  saxpyKernel<<<(N + 255) / 256, 256>>>(N, A, data.get<float>(0), data.get<float>(1), data.get<float>(2));
}

BENCHMARK("saxpy", saxpy::problem, run)
