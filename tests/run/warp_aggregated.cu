// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp-aggregated atomics, as the textbooks write them: one lane of the active ones adds for all; filters that
// keep what passes, counted exactly.
#include "support.h"

__device__ int aggregatedAdd(int *counter) {
  unsigned active = __activemask();
  int leader = __ffs(active) - 1, lane = threadInBlock() & 31, base = 0;
  if (lane == leader)
    base = atomicAdd(counter, __popc(active));
  base = __shfl_sync(active, base, leader);
  return base + __popc(active & ((1u << lane) - 1));
}

__global__ void filter(const int *in, int n, int *out, int *count) {
  for (int i = threadInGrid(); i < n; i += gridDim.x * blockDim.x * blockDim.y)
    if (in[i] % 3 == 0)
      out[aggregatedAdd(count)] = in[i];
}

// The same per key with match: lanes with equal keys form a group.
__global__ void histogram(const int *in, int n, int *bins) {
  int i = threadInGrid(), lane = threadInBlock() & 31;
  if (i >= n)
    return;
  unsigned active = __activemask();
  unsigned peers = __match_any_sync(active, in[i]);
  if (lane == __ffs(peers) - 1)
    atomicAdd(&bins[in[i]], __popc(peers));
}

int main() {
  Random random(56);
  const int n = 5003;
  std::vector<int> in(n), keys(n), wantBins(16);
  long long wantSum = 0;
  int wantCount = 0;
  for (int i = 0; i < n; i++) {
    in[i] = random.below(1000000);
    if (in[i] % 3 == 0)
      wantCount++, wantSum += in[i];
    wantBins[keys[i] = random.below(16)]++;
  }
  Buffer<int> deviceIn(in), deviceKeys(keys);
  for (dim3 shape : {dim3(128), dim3(50), dim3(8, 4)}) {
    Buffer<int> out(n), count(1), bins(16);
    filter<<<7, shape>>>(deviceIn, n, out, count);
    checkLaunch();
    expect("count", 0, count.get()[0], wantCount);
    std::vector<int> kept = out.get();
    long long sum = 0;
    for (int i = 0; i < wantCount; i++) {
      expectTrue("passes", kept[i] % 3 == 0);
      sum += kept[i];
    }
    expect("sum", 0, sum, wantSum);
    int threads = shape.x * shape.y;
    histogram<<<(n + threads - 1) / threads, shape>>>(deviceKeys, n, bins);
    checkLaunch();
    expectAll("histogram", bins.get(), wantBins);
  }
  return finish();
}
