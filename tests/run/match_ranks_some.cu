// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All lanes of a warp ask who has their digit, and only some of them then count: those that count take the place of all.
#include "support.h"

constexpr int Digits = 16, Threads = 64;

__global__ void rank(const unsigned *keys, int *ranks, int *counts) {
  __shared__ int counters[Threads / 32][Digits];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (lane < Digits)
    counters[warp][lane] = 100 * lane;
  __syncwarp();
  unsigned key = keys[i], digit = key % Digits, peers = __match_any_sync(~0u, digit);
  int rank = -1;
  if (key >> 31) {
    int old = counters[warp][digit];
    rank = old + __popc(peers & ((1u << lane) - 1));
    if (peers >> lane == 1)
      counters[warp][digit] = old + __popc(peers);
  }
  __syncwarp();
  ranks[i] = rank;
  if (lane < Digits)
    counts[i / 32 * Digits + lane] = counters[warp][lane];
}

int main() {
  constexpr int N = 20 * Threads;
  Random random(1);
  std::vector<unsigned> keys(N);
  for (unsigned &key : keys)
    key = random.bits();
  Buffer<unsigned> deviceKeys(keys);
  Buffer<int> ranks(N), counts(N / 32 * Digits);
  rank<<<N / Threads, Threads>>>(deviceKeys.data, ranks.data, counts.data);
  std::vector<int> wantRanks(N), wantCounts(N / 32 * Digits);
  for (int i = 0; i < N; ++i) {
    int first = i / 32 * 32, before = 0, all = 0;
    for (int j = first; j < first + 32; ++j)
      if (keys[j] % Digits == keys[i] % Digits) {
        before += j < i;
        ++all;
      }
    int old = 100 * int(keys[i] % Digits), &count = wantCounts[i / 32 * Digits + keys[i] % Digits];
    wantRanks[i] = keys[i] >> 31 ? old + before : -1;
    count = keys[i] >> 31 && before + 1 == all ? old + all : old;
  }
  for (int i = 0; i < N / 32 * Digits; ++i)
    if (wantCounts[i] == 0)
      wantCounts[i] = 100 * (i % Digits);
  expectAll("rank", ranks.get(), wantRanks);
  expectAll("count", counts.get(), wantCounts);
  return finish();
}
