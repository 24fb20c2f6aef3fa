// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64) %t
// RUN: %all env HEDDLE_DISABLE=serialize-lanes %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys ranked by __match_any_sync, as sorts do: any of the peers may count for them all, in shared or in global memory;
// and what only looks like it: lanes that add two, counters that peers do not share, old values that are looked at.
#include "support.h"

constexpr int Rounds = 5, Digits = 64;

enum class Counts { Last, First, Highest, Lowest, InGlobal, Twice, OwnCounter, OldToo };

template <Counts How>
__global__ void rankKeys(const unsigned *keys, int shift, int *ranks, int *totals, int *global) {
  __shared__ int shared[8][Digits + 32];
  int thread = threadInBlock(), lane = thread & 31, warp = thread >> 5;
  int threads = blockDim.x * blockDim.y;
  for (int i = lane; i < Digits + 32; i += 32)
    shared[warp][i] = 3 * i;
  __syncwarp();
  int *counters = How == Counts::InGlobal ? global + (blockIdx.x * 8 + warp) * (Digits + 32) : shared[warp];
  for (int round = 0; round < Rounds; ++round) {
    int at = (blockIdx.x * Rounds + round) * threads + thread;
    int digit = keys[at] >> shift & (Digits - 1);
    unsigned peers = __match_any_sync(~0u, digit), below = (1u << lane) - 1;
    int place = How == Counts::OwnCounter ? digit + (lane & 1) : digit;
    int old = counters[place], rank = old + __popc(peers & below);
    __syncwarp();
    if (How == Counts::First ? (peers & below) == 0
        : How == Counts::Highest ? lane == 31 - __clz(peers)
        : How == Counts::Lowest || How == Counts::OwnCounter ? lane == __ffs(peers) - 1
                                                             : peers >> lane == 1)
      counters[place] = How == Counts::Twice ? rank + 2
                        : How == Counts::Last || How == Counts::InGlobal || How == Counts::OldToo
                            ? rank + 1
                            : old + __popc(peers);
    __syncwarp();
    ranks[at] = How == Counts::OldToo ? rank + 1000 * old : rank;
  }
  for (int i = lane; i < Digits + 32; i += 32)
    totals[(blockIdx.x * 8 + warp) * (Digits + 32) + i] = counters[i];
}

template <Counts How> void check(const char *name, dim3 block, unsigned spread) {
  const int blocks = 3, threads = block.x * block.y, n = blocks * Rounds * threads, row = Digits + 32;
  Random random(threads + spread);
  std::vector<unsigned> keys(n);
  for (unsigned &key : keys)
    key = (random.bits() % spread) << 7 | random.bits() % 128;
  std::vector<int> ranks(n), totals(blocks * 8 * row), start(blocks * 8 * row);
  for (int i = 0; i < blocks * 8 * row; ++i)
    start[i] = 3 * (i % row);
  for (int b = 0; b < blocks; ++b)
    for (int warp = 0; warp < threads / 32; ++warp) {
      int *counters = &totals[(b * 8 + warp) * row];
      for (int i = 0; i < row; ++i)
        counters[i] = 3 * i;
      for (int round = 0; round < Rounds; ++round) {
        std::vector<int> before(counters, counters + row);
        for (int lane = 0; lane < 32; ++lane) {
          int at = (b * Rounds + round) * threads + warp * 32 + lane, digit = keys[at] >> 7 & (Digits - 1);
          int peersBelow = 0, peers = 0, first = 32;
          for (int k = 31; k >= 0; --k)
            if (int(keys[at - lane + k] >> 7 & (Digits - 1)) == digit) {
              ++peers;
              peersBelow += k < lane;
              first = k;
            }
          int place = How == Counts::OwnCounter ? digit + (lane & 1) : digit;
          ranks[at] = before[place] + peersBelow;
          if (How == Counts::OldToo)
            ranks[at] += 1000 * before[place];
          bool last = peersBelow == peers - 1;
          if (How == Counts::OwnCounter ? lane == first : last)
            counters[place] = before[place] + peers + (How == Counts::Twice);
        }
      }
    }
  Buffer<unsigned> deviceKeys(keys);
  Buffer<int> deviceRanks(n), deviceTotals(totals.size()), global(start);
  rankKeys<How><<<blocks, block>>>(deviceKeys.data, 7, deviceRanks.data, deviceTotals.data, global.data);
  checkLaunch();
  expectAll(std::string(name) + " ranks", deviceRanks.get(), ranks);
  std::vector<int> got = deviceTotals.get();
  for (int b = 0; b < blocks; ++b) // warps that are not there left nothing
    for (int i = 0; i < threads / 32 * row; ++i)
      expect(std::string(name) + " totals", i, got[b * 8 * row + i], totals[b * 8 * row + i]);
}

int main() {
  for (dim3 block : {dim3(32), dim3(96), dim3(256), dim3(16, 4)})
    for (unsigned spread : {1u, 5u, 64u}) {
      check<Counts::Last>("last", block, spread);
      check<Counts::First>("first", block, spread);
      check<Counts::Highest>("highest", block, spread);
      check<Counts::Lowest>("lowest", block, spread);
      check<Counts::InGlobal>("global", block, spread);
      check<Counts::Twice>("twice", block, spread);
      check<Counts::OldToo>("old too", block, spread);
    }
  check<Counts::OwnCounter>("own counter", dim3(64), 1); // one digit: no two groups meet
  return finish();
}
