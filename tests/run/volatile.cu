// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// volatile accesses happen as written; a flag that another warp of the block sets is seen; __threadfence_block.
#include "support.h"

// Warp 1 waits for warp 0 in a loop without barriers.
__global__ void handOver(int *out) {
  __shared__ volatile int flag, value;
  int t = threadIdx.x, warp = t / 32;
  if (t == 0)
    flag = 0, value = 0;
  __syncthreads();
  if (warp == 0) {
    if (t == 0) {
      value = 42 + blockIdx.x;
      __threadfence_block();
      flag = 1;
    }
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[blockIdx.x * 32 + t - 32] = value + t;
  }
}

// The classic warp-synchronous reduction's last steps, with __syncwarp.
__global__ void warpReduce(const int *in, int *out) {
  __shared__ volatile int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  s[t + 32] = in[t + 32];
  __syncwarp();
  int v = s[t];
  for (int d = 32; d; d /= 2) {
    v += s[t + d < 64 ? t + d : t];
    __syncwarp();
    s[t] = v;
    __syncwarp();
  }
  if (t == 0)
    *out = v;
}

__global__ void counts(volatile int *v, int n) {
  int i = threadInGrid();
  if (i < n) {
    v[i] = 1;
    v[i] = v[i] + v[i];
    for (int k = 0; k < i % 4; k++)
      v[i] = v[i] + 3;
  }
}

int main() {
  Buffer<int> out(96);
  handOver<<<3, 64>>>(out);
  checkLaunch();
  std::vector<int> want;
  for (int b = 0; b < 3; b++)
    for (int t = 32; t < 64; t++)
      want.push_back(42 + b + t);
  expectAll("hand over", out.get(), want);

  std::vector<int> in;
  int sum = 0;
  for (int i = 0; i < 64; i++)
    in.push_back(i * i), sum += i * i;
  Buffer<int> deviceIn(in), reduced(1);
  warpReduce<<<1, 32>>>(deviceIn, reduced);
  checkLaunch();
  expect("warp reduce", 0, reduced.get()[0], sum);

  Buffer<int> counted(77);
  counts<<<3, 33>>>(counted, 77);
  checkLaunch();
  std::vector<int> wantCounted;
  for (int i = 0; i < 77; i++)
    wantCounted.push_back(2 + i % 4 * 3);
  expectAll("volatile", counted.get(), wantCounted);
  return finish();
}
