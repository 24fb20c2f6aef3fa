// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil.h"

__global__ static void stencil5(int n, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int i = y * n + x;
  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)
    out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
  else if (x < n && y < n)
    out[i] = in[i];
}

static void run(bench::Data &data) {
  using stencil::N;
  stencil5<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(N, data.get<float>(0), data.get<float>(1));
}

BENCHMARK("stencil_2d", stencil::problem, run)
