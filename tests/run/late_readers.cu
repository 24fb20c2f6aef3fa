// RUN: env HEDDLE_WIDTH=32 %heddle run %s
// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum over the block that lacks its last barrier, as in many programs: the first warp writes to the place where it
// left the sum, and the others have read it long before on a GPU.
#include "support.h"

__device__ float sumOfBlock(float x) {
  __shared__ float sums[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int offset = 16; offset > 0; offset /= 2)
    x += __shfl_xor_sync(~0u, x, offset);
  if (lane == 0)
    sums[warp] = x;
  __syncthreads();
  if (warp == 0) {
    x = lane < warps ? sums[lane] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      x += __shfl_xor_sync(~0u, x, offset);
    if (lane == 0)
      sums[0] = x;
  }
  __syncthreads();
  return sums[0];
}

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
