// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: env HEDDLE_WIDTH=256 HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_WIDTH=256 HEDDLE_DISABLE=prefetch-walks HEDDLE_PRINT_AFTER=optimize CUDA_CACHE_DISABLE=1 %t 2>&1 | FileCheck %s --check-prefix=OFF
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that counts what it reads, lane by lane, fetches what it reads in later rounds, also beyond the array's end:
// that never faults. So do warps that read much at once and then wait for each other.
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

// CHECK: define internal {{.*}}@start
// CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
__global__ void keepTile(const unsigned *keys, unsigned *out) {
  __shared__ unsigned sums[Block / 32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  keys += blockIdx.x * Tile + warp * 16 * 32 + lane;
  unsigned key[16], sum = 0;
  for (int i = 0; i < 16; ++i)
    key[i] = keys[i * 32];
  for (int i = 0; i < 16; ++i)
    sum += __popc(__match_any_sync(~0u, key[i] & 15));
  sum = __reduce_add_sync(~0u, sum);
  if (lane == 0)
    sums[warp] = sum;
  __syncthreads();
  for (int i = 0; i < 16; ++i)
    out[blockIdx.x * Tile + i * Block + threadIdx.x] = key[i] + sums[(warp + 1) % (Block / 32)];
}

/// In how many pairs of a row of 32 keys both are alike, in all rows of a warp.
unsigned pairsOf(const unsigned *keys) {
  unsigned sum = 0;
  for (int i = 0; i < 16; ++i)
    for (int a = 0; a < 32; ++a)
      for (int b = 0; b < 32; ++b)
        sum += (keys[i * 32 + a] & 15) == (keys[i * 32 + b] & 15);
  return sum;
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
  std::vector<unsigned> wantKept(keys.size());
  for (int tile = 0; tile < tiles; ++tile)
    for (int warp = 0; warp < Block / 32; ++warp) {
      unsigned sum = pairsOf(&keys[tile * Tile + (warp + 1) % (Block / 32) * 16 * 32]);
      for (int i = 0; i < 16; ++i)
        for (int lane = 0; lane < 32; ++lane)
          wantKept[tile * Tile + i * Block + warp * 32 + lane] =
              keys[tile * Tile + warp * 16 * 32 + i * 32 + lane] + sum;
    }
  Buffer<unsigned> kept(keys.size());
  keepTile<<<tiles, Block>>>(deviceKeys.data, kept.data);
  checkLaunch();
  expectAll("kept", kept.get(), wantKept);
  return finish();
}
