// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_WIDTH=32 %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two sums over the block, one after the other, with no barrier between them (block_sum.h).
#include "block_sum.h"

__global__ void centre(const float *in, float *out, int n) {
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += in[i];
  float mean = sumOfBlock(sum) / n;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    squares += (in[i] - mean) * (in[i] - mean);
  float spread = sumOfBlock(squares);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = (in[i] - mean) + spread;
}

int main() {
  for (int threads : {32, 64, 256, 1024}) {
    const int n = 1024; // so that all results are exact
    std::vector<float> in(n), want(n);
    float mean = 0, spread = 0;
    for (int i = 0; i < n; i++)
      mean += in[i] = i * 37 % 128;
    mean /= n;
    for (float x : in)
      spread += (x - mean) * (x - mean);
    for (int i = 0; i < n; i++)
      want[i] = (in[i] - mean) + spread;
    Buffer<float> deviceIn(in), out(n);
    centre<<<1, threads>>>(deviceIn, out, n);
    checkLaunch();
    expectAll("centre", out.get(), want);
  }
  return finish();
}
