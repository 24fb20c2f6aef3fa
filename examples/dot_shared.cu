// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 3.3 (dot product with reduction in shared memory).
//
// Each thread adds up its own products, each block adds up its threads' sums in shared memory, and
// only one number per block goes back to the host. There are just enough blocks for a short vector
// and at most 32 for a long one.
#include "common.h"

#include <algorithm>

constexpr int Threads = 256; // a power of two, for the halving below

__global__ void dot(const float *a, const float *b, float *c, int n) {
  __shared__ float cache[Threads];
  int slot = threadIdx.x;
  float sum = 0;
  for (int i = threadIdx.x + blockIdx.x * Threads; i < n; i += Threads * gridDim.x)
    sum += a[i] * b[i];
  cache[slot] = sum;
  __syncthreads();

  for (int half = Threads / 2; half != 0; half /= 2) {
    if (slot < half)
      cache[slot] += cache[slot + half];
    __syncthreads();
  }
  if (slot == 0)
    c[blockIdx.x] = cache[0];
}

static void run(int n) {
  int blocks = std::min(32, (n + Threads - 1) / Threads);
  std::vector<float> a = wholeNumbers<float>(n, 6, 13), b = wholeNumbers<float>(n, 6, 14);
  double want = 0;
  for (int i = 0; i < n; ++i)
    want += double(a[i]) * b[i];

  float *da = toDevice(a), *db = toDevice(b), *dc = zerosOnDevice<float>(blocks);
  EventTimer timer;
  dot<<<blocks, Threads>>>(da, db, dc, n);
  std::vector<float> sums = toHost(dc, blocks);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  float got = 0;
  for (float sum : sums)
    got += sum;
  CUDA_CHECK(cudaFree(da));
  CUDA_CHECK(cudaFree(db));
  CUDA_CHECK(cudaFree(dc));
  check(got == want, "dot product of %d elements on %d blocks: %g", n, blocks, got);
}

int main() {
  for (int n : {1, 31, 256, 257, 8191, 33 * 1024, 200003})
    run(n);
  return exitCode();
}
