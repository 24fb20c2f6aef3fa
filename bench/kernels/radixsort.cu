// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "radixsort.h"

using namespace radixsort;

/// The sum of `mine` over the threads of the block before this one.
template <int Size> __device__ static int sumBefore(int mine) {
  __shared__ int sums[Size / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = mine;
  for (int distance = 1; distance < 32; distance *= 2) {
    int left = __shfl_up_sync(~0u, sum, distance);
    sum += lane >= distance ? left : 0;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads();
  for (int i = 0; i < warp; ++i)
    sum += sums[i];
  return sum - mine;
}

/// counts[tile][digit]
__global__ static void countDigits(int shift, const unsigned *keys, int *counts) {
  __shared__ int bins[Digits];
  int thread = threadIdx.x;
  bins[thread] = 0;
  __syncthreads();
  for (int i = thread; i < Tile; i += Block)
    atomicAdd(&bins[keys[blockIdx.x * Tile + i] >> shift & (Digits - 1)], 1);
  __syncthreads();
  counts[blockIdx.x * Digits + thread] = bins[thread];
}

/// A thread a digit: the counts of its tiles become those of the tiles before, and totals[digit]
/// their sum.
__global__ static void scanTiles(int *counts, int *totals) {
  int digit = blockIdx.x * blockDim.x + threadIdx.x, running = 0;
#pragma unroll 8
  for (int tile = 0; tile < Tiles; ++tile) {
    int count = counts[tile * Digits + digit];
    counts[tile * Digits + digit] = running;
    running += count;
  }
  totals[digit] = running;
}

__global__ static void scatter(int shift, const unsigned *keys, const int *before, const int *totals, unsigned *out) {
  __shared__ int counters[Warps][Digits]; // keys of a digit so far; then where the warp's first one goes
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  for (int i = 0; i < Warps; ++i)
    counters[i][thread] = 0;
  __syncthreads();

  keys += blockIdx.x * Tile + warp * (32 * Run) + lane;
  unsigned key[Run];
  int rank[Run]; // among the warp's keys of the same digit
  for (int i = 0; i < Run; ++i)
    key[i] = keys[i * 32];
  for (int i = 0; i < Run; ++i) {
    int digit = key[i] >> shift & (Digits - 1);
    unsigned peers = __match_any_sync(~0u, digit);
    rank[i] = counters[warp][digit] + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
    if (peers >> lane == 1) // the last of them
      counters[warp][digit] = rank[i] + 1;
    __syncwarp();
  }
  __syncthreads();

  int place = sumBefore<Digits>(totals[thread]) + before[blockIdx.x * Digits + thread];
  for (int i = 0; i < Warps; ++i) {
    int count = counters[i][thread];
    counters[i][thread] = place;
    place += count;
  }
  __syncthreads();
  for (int i = 0; i < Run; ++i)
    out[counters[warp][key[i] >> shift & (Digits - 1)] + rank[i]] = key[i];
}
static_assert(Block == Digits, "a thread stands for a digit too");

static void run(bench::Data &data) {
  const unsigned *from = data.get<unsigned>(0);
  int *counts = data.get<int>(3), *totals = counts + Digits * Tiles;
  for (int pass = 0; pass < Passes; ++pass) {
    unsigned *to = data.get<unsigned>(pass % 2 == 0 ? 2 : 1);
    countDigits<<<Tiles, Block>>>(pass * Bits, from, counts);
    scanTiles<<<Digits / 32, 32>>>(counts, totals);
    scatter<<<Tiles, Block>>>(pass * Bits, from, counts, totals, to);
    from = to;
  }
}

BENCHMARK("radix_sort", problem, run)
