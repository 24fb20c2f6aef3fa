// RUN: %heddle cc %s -o %t
// RUN: %t
// RUN: %at(8) %t
// RUN: %all %at(32) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that are filled by the lane's and the warp's number: what one thread reads another one has
// copied, whose lane is another one.
#include "support.h"

__device__ unsigned laneId() {
#ifdef __clang__
  return __nvvm_read_ptx_sreg_laneid();
#else
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
#endif
}

constexpr int Threads = 256, Rounds = 24;

__global__ void reversedInWarps(const float *in, float *out, int n) {
  __shared__ float tile[Threads];
  float sum = 0;
  unsigned first = threadIdx.x & ~31u;
  for (int round = 0; round < n; ++round) {
    tile[threadIdx.x] = in[round * Threads + first + (31 - laneId())];
    __syncthreads();
    for (int i = 0; i < Threads; ++i)
      sum += tile[i] * (i % 7);
    __syncthreads();
  }
  out[blockIdx.x * Threads + threadIdx.x] = sum;
}

__global__ void rim(const float *in, float *out, int n) {
  __shared__ float tile[Threads + 2];
  int x = blockIdx.x * Threads + threadIdx.x, mine = x - (int)laneId() + (int)(laneId() ^ 1);
  if (x < n)
    tile[threadIdx.x + 1] = in[mine];
  if (threadIdx.x == 0)
    tile[0] = x > 0 ? in[x - 1] : 0;
  if (threadIdx.x == Threads - 1)
    tile[Threads + 1] = x + 1 < n ? in[x + 1] : 0;
  __syncthreads();
  if (x > 0 && x < n - 1)
    out[x] = tile[threadIdx.x] + 2 * tile[threadIdx.x + 1] + 4 * tile[threadIdx.x + 2];
}

int main() {
  constexpr int N = Threads * Rounds;
  std::vector<float> in(N);
  for (int i = 0; i < N; ++i)
    in[i] = i * 37 % 101;
  Buffer<float> source(in), sums(N), rims(N);
  reversedInWarps<<<2, Threads>>>(source, sums, Rounds);
  rim<<<N / Threads, Threads>>>(source, rims, N);
  std::vector<float> result = sums.get(), around = rims.get();
  for (int x = 0; x < 2 * Threads; ++x) {
    float sum = 0;
    for (int round = 0; round < Rounds; ++round)
      for (int i = 0; i < Threads; ++i)
        sum += in[round * Threads + (i & ~31) + 31 - i % 32] * (i % 7);
    expect("sum", x, result[x], sum);
  }
  auto tile = [&](int block, int i) {
    int x = block * Threads + i - 1;
    if (i == 0 || i == Threads + 1)
      return x >= 0 && x < N ? in[x] : 0.0f;
    return in[(x & ~31) + (x % 32 ^ 1)];
  };
  for (int x = 1; x < N - 1; ++x) {
    int block = x / Threads, i = x % Threads;
    float sum = tile(block, i) + 2 * tile(block, i + 1) + 4 * tile(block, i + 2);
    expect("rim", x, around[x], sum);
  }
  return finish();
}
