// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: course "GPU Programming", section 2.3 (vector addition with blocks of one thread).
//
// 128 blocks of one thread each. The block's number is the index; a block whose element is done
// goes on with the one that lies gridDim.x further.
#include "common.h"

constexpr int Blocks = 128;

__global__ void add(const int *a, const int *b, int *c, int n) {
  int i = blockIdx.x;
  while (i < n) {
    c[i] = a[i] + b[i];
    i += gridDim.x;
  }
}

static void run(int n) {
  std::vector<int> a = wholeNumbers<int>(n, 100000, 7), b = wholeNumbers<int>(n, 100000, 8),
                   want(n);
  for (int i = 0; i < n; ++i)
    want[i] = a[i] + b[i];
  int *da = toDevice(a), *db = toDevice(b), *dc = zerosOnDevice<int>(n);
  EventTimer timer;
  add<<<Blocks, 1>>>(da, db, dc, n);
  std::printf("time: %.3f ms\n", timer.milliseconds());
  check(same(toHost(dc, n), want), "sum of %d elements with %d blocks", n, Blocks);
  CUDA_CHECK(cudaFree(da));
  CUDA_CHECK(cudaFree(db));
  CUDA_CHECK(cudaFree(dc));
}

int main() {
  for (int n : {1, 127, 128, 129, 100000})
    run(n);
  return exitCode();
}
