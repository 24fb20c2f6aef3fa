// RUN: env HEDDLE_WIDTH=1 %heddle run %s
// RUN: env HEDDLE_WIDTH=8 %heddle run %s
// RUN: env HEDDLE_WIDTH=16 %heddle run %s
// RUN: env HEDDLE_WIDTH=32 %heddle run %s
// RUN: env HEDDLE_CPU=x86-64-v3 %heddle run %s
// RUN: env HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %heddle run %s 2>&1 | FileCheck %s
// RUN: env HEDDLE_DISABLE=prefetch-walks HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %heddle run %s 2>&1 | FileCheck %s --check-prefix=OFF
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that counts what it reads, lane by lane, fetches what it reads in later rounds, also beyond the array's end:
// that never faults.
#include "support.h"

constexpr int Block = 256, Tile = 16 * Block, Bins = 64;

// CHECK-LABEL: define internal void @runBlocks
// CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
// OFF-NOT: call void @llvm.prefetch
__global__ void countTile(const unsigned *keys, int *counts) {
  __shared__ int bins[Bins];
  if (threadIdx.x < Bins)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < Tile; i += Block)
    atomicAdd(&bins[keys[blockIdx.x * Tile + i] & (Bins - 1)], 1);
  __syncthreads();
  if (threadIdx.x < Bins)
    counts[blockIdx.x * Bins + threadIdx.x] = bins[threadIdx.x];
}

int main() {
  const int tiles = 5;
  Random random(3);
  std::vector<unsigned> keys(tiles * Tile);
  std::vector<int> want(tiles * Bins);
  for (int i = 0; i < tiles * Tile; ++i) {
    keys[i] = random.bits();
    ++want[i / Tile * Bins + keys[i] % Bins];
  }
  Buffer<unsigned> deviceKeys(keys);
  Buffer<int> counts(want.size());
  countTile<<<tiles, Block>>>(deviceKeys.data, counts.data);
  checkLaunch();
  expectAll("counts", counts.get(), want);
  return finish();
}
