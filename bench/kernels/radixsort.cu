// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "radixsort.h"

using namespace radixsort;

/// The sum of `mine` over the threads before this one; `cells` has one cell a thread.
template <int Size> __device__ static int sumBefore(int mine, int *cells) {
  int thread = threadIdx.x;
  cells[thread] = mine;
  __syncthreads();
  for (int distance = 1; distance < Size; distance *= 2) {
    int left = thread >= distance ? cells[thread - distance] : 0;
    __syncthreads();
    cells[thread] += left;
    __syncthreads();
  }
  return cells[thread] - mine;
}

__global__ static void countDigits(int shift, const unsigned *keys, int *counts) {
  __shared__ int bins[Digits];
  int thread = threadIdx.x;
  if (thread < Digits)
    bins[thread] = 0;
  __syncthreads();
  for (int i = thread; i < Tile; i += Block)
    atomicAdd(&bins[keys[blockIdx.x * Tile + i] >> shift & (Digits - 1)], 1);
  __syncthreads();
  if (thread < Digits)
    counts[thread * Tiles + blockIdx.x] = bins[thread];
}

/// Counts, by digit and then by tile, become the places where they start.
__global__ static void scanCounts(int *counts) {
  __shared__ int cells[ScanBlock];
  constexpr int Share = Digits * Tiles / ScanBlock;
  int *mine = counts + threadIdx.x * Share, sum = 0;
  for (int i = 0; i < Share; ++i)
    sum += mine[i];
  int running = sumBefore<ScanBlock>(sum, cells);
  for (int i = 0; i < Share; ++i) {
    int count = mine[i];
    mine[i] = running;
    running += count;
  }
}

__global__ static void scatter(int shift, const unsigned *keys, const int *starts, unsigned *out) {
  __shared__ unsigned tile[Tile];
  __shared__ int counts[Digits * Block], cells[Block], firsts[Digits];
  int thread = threadIdx.x;
  for (int i = thread; i < Tile; i += Block)
    tile[i] = keys[blockIdx.x * Tile + i];
  for (int digit = 0; digit < Digits; ++digit)
    counts[digit * Block + thread] = 0;
  __syncthreads();

  unsigned mine[Run];
  int before[Run]; // keys with this digit in this thread's run so far
  for (int i = 0; i < Run; ++i) {
    mine[i] = tile[thread * Run + i];
    before[i] = counts[(mine[i] >> shift & (Digits - 1)) * Block + thread]++;
  }
  __syncthreads();

  int sum = 0;
  for (int i = 0; i < Digits; ++i)
    sum += counts[thread * Digits + i];
  int running = sumBefore<Block>(sum, cells);
  for (int i = 0; i < Digits; ++i) {
    int count = counts[thread * Digits + i];
    counts[thread * Digits + i] = running;
    running += count;
  }
  __syncthreads();
  if (thread < Digits)
    firsts[thread] = counts[thread * Block];
  for (int i = 0; i < Run; ++i)
    tile[counts[(mine[i] >> shift & (Digits - 1)) * Block + thread] + before[i]] = mine[i];
  __syncthreads();
  for (int i = thread; i < Tile; i += Block) {
    int digit = tile[i] >> shift & (Digits - 1);
    out[starts[digit * Tiles + blockIdx.x] + i - firsts[digit]] = tile[i];
  }
}

static void run(bench::Data &data) {
  const unsigned *from = data.get<unsigned>(0);
  int *counts = data.get<int>(3);
  for (int pass = 0; pass < Passes; ++pass) {
    unsigned *to = data.get<unsigned>(pass % 2 == 0 ? 2 : 1);
    countDigits<<<Tiles, Block>>>(pass * Bits, from, counts);
    scanCounts<<<1, ScanBlock>>>(counts);
    scatter<<<Tiles, Block>>>(pass * Bits, from, counts, to);
    from = to;
  }
}

BENCHMARK("radix_sort", problem, run)
