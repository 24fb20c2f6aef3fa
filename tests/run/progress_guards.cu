// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp operations under conditions that whole warps pass or do not, though the compiler cannot know, before operations of
// all lanes: in a branch, in loops that threads leave by their number, in arms that do different numbers of them.
#include "support.h"

__device__ int sumOfWarp(int x) {
  for (int offset = 16; offset > 0; offset /= 2)
    x += __shfl_xor_sync(~0u, x, offset);
  return x;
}

__device__ int sumOfBlock(int x) {
  __shared__ int sums[32];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  x = sumOfWarp(x);
  if (lane == 0)
    sums[warp] = x;
  __syncthreads();
  x = sumOfWarp(lane < warps ? sums[lane] : 0);
  __syncthreads();
  return x;
}

__global__ void branch(const int *in, int n, int *out) {
  int t = threadIdx.x, x = t;
  if (t < n)
    x = sumOfWarp(in[t]);
  out[t] = sumOfBlock(x);
}

__global__ void loop(const int *in, int n, int *out) {
  int t = threadIdx.x, x = 0;
  for (int i = t; i < n; i += blockDim.x)
    x += __shfl_xor_sync(~0u, in[i], 1) * (i + 1);
  out[t] = sumOfBlock(x);
}

__global__ void arms(const int *in, int n, int *out) {
  int t = threadIdx.x, x;
  if (t < n)
    x = __shfl_down_sync(~0u, in[t], 3, 8);
  else
    x = sumOfWarp(in[t]);
  out[t] = sumOfBlock(x);
}

/// Other operations behind, and no barrier.
__global__ void others(const int *in, int n, int *out) {
  int t = threadIdx.x, x = 0;
  for (int i = t; i < n; i += blockDim.x)
    x += __popc(__ballot_sync(~0u, in[i] % 2));
  out[t] = sumOfWarp(x);
}

int main() {
  for (int threads : {64, 128, 512})
    for (int n : {0, 32, 64, 96, 320}) {
      std::vector<int> in(1024), wantBranch(threads), wantLoop(threads), wantArms(threads), wantOthers(threads);
      for (int i = 0; i < 1024; ++i)
        in[i] = i * 7 % 31;
      auto inWarp = [&](int t) {
        int sum = 0;
        for (int lane = 0; lane < 32; ++lane)
          sum += in[t / 32 * 32 + lane];
        return sum;
      };
      int branches = 0, loops = 0, inArms = 0;
      for (int t = 0; t < threads; ++t) {
        branches += t < n ? inWarp(t) : t;
        inArms += t < n ? in[t % 8 < 5 ? t + 3 : t] : inWarp(t);
      }
      for (int i = 0; i < n; ++i) {
        loops += in[i ^ 1] * (i + 1);
        for (int lane = 0; lane < 32; ++lane)
          wantOthers[i % threads / 32 * 32 + lane] += 32 * (in[i] % 2);
      }
      Buffer<int> data(in), out(threads);
      auto check = [&](const char *name, int want) {
        checkLaunch();
        expectAll(name, out.get(), std::vector<int>(threads, want));
      };
      branch<<<1, threads>>>(data, n, out);
      check("branch", branches);
      loop<<<1, threads>>>(data, n, out);
      check("loop", loops);
      arms<<<1, threads>>>(data, n, out);
      check("arms", inArms);
      others<<<1, threads>>>(data, n, out);
      checkLaunch();
      expectAll("others", out.get(), wantOthers);
    }
  return finish();
}
