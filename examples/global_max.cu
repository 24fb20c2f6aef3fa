// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Example: Global Min/Max" (naive, and with regional maxima).
//
// With one location for the maximum all threads queue on it. With regional maxima most threads meet
// only in their region: a thread goes on to the global location only if it raised the regional
// maximum.
#include "common.h"

#include <algorithm>
#include <climits>

__global__ void maxNaive(const int *values, int n, int *globalMax) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n)
    atomicMax(globalMax, values[i]);
}

__global__ void maxRegional(const int *values, int n, int *globalMax, int *regionalMaxes,
                            int regions) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n)
    return;
  int value = values[i];
  int region = i % regions;
  if (atomicMax(&regionalMaxes[region], value) < value)
    atomicMax(globalMax, value);
}

static void run(int n, int regions, int offset) {
  std::vector<int> values = wholeNumbers<int>(n, 1000000, 30), wantRegional(regions, INT_MIN);
  for (int i = 0; i < n; ++i) {
    values[i] += offset;
    wantRegional[i % regions] = std::max(wantRegional[i % regions], values[i]);
  }
  int want = *std::max_element(values.begin(), values.end()), blocks = (n + 127) / 128;
  int *in = toDevice(values), *naive = toDevice(std::vector<int>(1, INT_MIN));
  int *regional = toDevice(std::vector<int>(regions, INT_MIN));
  int *total = toDevice(std::vector<int>(1, INT_MIN));

  maxNaive<<<blocks, 128>>>(in, n, naive);
  check(toHost(naive, 1)[0] == want, "naive maximum of %d values: %d", n, want);
  maxRegional<<<blocks, 128>>>(in, n, total, regional, regions);
  check(toHost(total, 1)[0] == want, "maximum of %d values by %d regions", n, regions);
  check(same(toHost(regional, regions), wantRegional), "maxima of the %d regions", regions);
  for (int *array : {in, naive, regional, total})
    CUDA_CHECK(cudaFree(array));
}

int main() {
  run(1, 1, 0);
  run(100, 7, -2000000); // all negative
  run(129, 32, 0);
  run(200001, 100, 5);
  return exitCode();
}
