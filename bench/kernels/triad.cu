// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "triad.h"

__global__ static void triadKernel(int n, const float *b, const float *c, float *a) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    a[i] = b[i] + 3.0f * c[i];
}

static void run(bench::Data &data) {
  triadKernel<<<triad::Blocks, 256>>>(triad::N, data.get<float>(0), data.get<float>(1), data.get<float>(2));
}

BENCHMARK("triad", triad::problem, run)
