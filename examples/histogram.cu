// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Example: Histogram".
//
// Each thread looks at one pixel and increments the counter of its colour atomically. The colours
// are spread evenly, or all the same, which is the worst case for atomics.
#include "common.h"

__global__ void histogram(const int *colours, int n, int *buckets) {
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n)
    return;
  int colour = colours[i];
  atomicAdd(&buckets[colour], 1);
}

static void run(int n, int numBuckets, int used) {
  Random random(28);
  std::vector<int> colours(n), want(numBuckets);
  for (int &colour : colours) {
    colour = random.integer(0, used - 1);
    ++want[colour];
  }
  int *in = toDevice(colours), *buckets = zerosOnDevice<int>(numBuckets);
  histogram<<<(n + 255) / 256, 256>>>(in, n, buckets);
  check(same(toHost(buckets, numBuckets), want), "%d pixels, %d of %d colours", n, used,
        numBuckets);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(buckets));
}

int main() {
  for (int n : {1, 100, 256, 257, 300007}) {
    run(n, 256, 256);
    run(n, 256, 3);
    run(n, 16, 1);
  }
  return exitCode();
}
