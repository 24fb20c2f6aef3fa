// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64) %t
// RUN: %all env HEDDLE_DISABLE=unroll-barrier-loops %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that threads leave by their index: sums over the warps before one's own, a few rounds by the index's last bits,
// lengths that data decide besides. In blocks of whole and partial warps.
#include "support.h"

/// What the threads before have in all: by shuffles in a warp, by a loop over the warps before.
__global__ void sumBefore(const int *in, int *out, int n) {
  __shared__ int sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int mine = i < n ? in[i] : 0, sum = mine;
  for (int distance = 1; distance < 32; distance *= 2) {
    int left = __shfl_up_sync(~0u, sum, distance);
    sum += lane >= distance ? left : 0;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads();
  for (int j = 0; j < warp; ++j)
    sum += sums[j];
  if (i < n)
    out[i] = sum - mine;
}

/// As many rounds as the index's last bits say, with an early end by data.
__global__ void rounds(const int *in, int *out, int n) {
  __shared__ int kept[8];
  if (threadIdx.x < 8)
    kept[threadIdx.x] = threadIdx.x * 3 + 1;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int sum = in[i];
  for (unsigned j = 0; j < threadIdx.x % 8; ++j) {
    sum = sum * 5 + kept[j];
    if (sum % 7 == 3)
      break;
  }
  int other = 0;
  for (unsigned j = threadIdx.x / 64; j < 4; ++j)
    other ^= kept[j] << j;
  out[i] = sum + other;
}

void check(int threads, int n) {
  int blocks = (n + threads - 1) / threads;
  Random random(threads + n);
  std::vector<int> in(n), before(n), rounded(n);
  for (int i = 0; i < n; ++i)
    in[i] = random.below(1000);
  for (int i = 0, sum = 0; i < n; ++i) {
    sum = i % threads ? sum : 0;
    before[i] = sum;
    sum += in[i];
    int t = i % threads, other = 0;
    rounded[i] = in[i];
    for (int j = 0; j < t % 8; ++j) {
      rounded[i] = rounded[i] * 5 + j * 3 + 1;
      if (rounded[i] % 7 == 3)
        break;
    }
    for (int j = t / 64; j < 4; ++j)
      other ^= (j * 3 + 1) << j;
    rounded[i] += other;
  }
  Buffer<int> deviceIn(in), out(n);
  if (threads % 32 == 0) { // full masks
    sumBefore<<<blocks, threads>>>(deviceIn.data, out.data, n);
    checkLaunch();
    expectAll("before, blocks of " + std::to_string(threads), out.get(), before);
  }
  rounds<<<blocks, threads>>>(deviceIn.data, out.data, n);
  checkLaunch();
  expectAll("rounds, blocks of " + std::to_string(threads), out.get(), rounded);
}

int main() {
  for (int threads : {8, 31, 32, 33, 64, 96, 100, 128, 256, 288, 512, 1000, 1024})
    for (int n : {1, 500, 2048, 3001})
      check(threads, n);
  return finish();
}
