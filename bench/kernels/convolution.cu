// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolution.h"

using namespace convolution;

__constant__ float weights[Taps];

__global__ static void convolve(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0;
  for (int k = 0; k < Taps; ++k)
    sum += weights[k] * in[i + k];
  out[i] = sum;
}

static void run(bench::Data &data) {
  cudaMemcpyToSymbolAsync(weights, data.arrays[1], sizeof(weights), 0, cudaMemcpyDeviceToDevice);
  convolve<<<(N + 255) / 256, 256>>>(N, data.get<float>(0), data.get<float>(2));
}

BENCHMARK("convolution_1d", problem, run)
