// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 2.4 (vector addition with blocks and threads).
//
// Many blocks of many threads. A thread's number in the grid is its number in the block plus the
// threads of all blocks before it. (The course multiplies by the number of blocks, which is right
// only because it has as many blocks as threads per block; here the two differ.)
#include "common.h"

constexpr int Blocks = 96, Threads = 128;

__global__ void add(const int *a, const int *b, int *c, int n) {
  int i = threadIdx.x + blockIdx.x * Threads;
  while (i < n) {
    c[i] = a[i] + b[i];
    i += Threads * Blocks; // all threads of the grid
  }
}

static void run(int n) {
  std::vector<int> a = wholeNumbers<int>(n, 100000, 9), b = wholeNumbers<int>(n, 100000, 10),
                   want(n);
  for (int i = 0; i < n; ++i)
    want[i] = a[i] + b[i];
  int *da = toDevice(a), *db = toDevice(b), *dc = zerosOnDevice<int>(n);
  EventTimer timer;
  add<<<Blocks, Threads>>>(da, db, dc, n);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  check(same(toHost(dc, n), want), "sum of %d elements with %d blocks of %d", n, Blocks, Threads);
  CUDA_CHECK(cudaFree(da));
  CUDA_CHECK(cudaFree(db));
  CUDA_CHECK(cudaFree(dc));
}

int main() {
  for (int n : {1, 127, 129, Blocks * Threads, Blocks * Threads + 1, 1000003})
    run(n);
  return exitCode();
}
