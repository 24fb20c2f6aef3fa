// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64) %t
// RUN: %all env HEDDLE_DISABLE=merge-warp-counters %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that rank keys by counters of their warps and add those up, as sorts do: blocks of two to eight warps, one round
// and several, keys that are all the same, keys with values beside them, keys that are sorted where they lie. And what only
// looks like it: counters that do not start at zero, counts that are stored too, ranks that are, counters that are looked
// at afterwards, warps that are added up the other way round, places that the next round reads.
#include "support.h"

enum class Form {
  Plain,
  Values,
  InPlace,
  NotZero,
  KeepsCounts,
  KeepsRanks,
  LooksAfterwards,
  Backwards,
  ReadsBack,
  HalfStores,
  FromGlobal
};

template <int Threads, int Rounds, Form How>
__global__ void scatter(const unsigned *keys, const unsigned *values, int shift, const int *starts, unsigned *out,
                        unsigned *outValues, int *kept) {
  constexpr int Warps = Threads / 32, Digits = Threads & -Threads; // a power of two, at most a thread each
  __shared__ int counters[Warps][Threads];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  for (int i = 0; i < Warps; ++i)
    counters[i][thread] = How == Form::NotZero ? thread % 3 : 0;
  __syncthreads();
  int first = blockIdx.x * Threads * Rounds + warp * 32 * Rounds + lane;
  unsigned key[Rounds];
  int rank[Rounds];
  for (int i = 0; i < Rounds; ++i)
    key[i] = keys[first + i * 32];
  for (int i = 0; i < Rounds; ++i) {
    int digit = key[i] >> shift & (Digits - 1);
    unsigned peers = __match_any_sync(~0u, digit);
    rank[i] = counters[warp][digit] + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
    if (peers >> lane == 1)
      counters[warp][digit] = rank[i] + 1;
    __syncwarp();
    if (How == Form::KeepsRanks)
      kept[first + i * 32] = rank[i];
  }
  __syncthreads();
  int place = starts[blockIdx.x * Threads + thread];
  for (int j = 0; j < Warps; ++j) {
    int i = How == Form::Backwards ? Warps - 1 - j : j, count = counters[i][thread];
    counters[i][thread] = place;
    place += count;
    if (How == Form::KeepsCounts)
      kept[(blockIdx.x * Warps + i) * Threads + thread] = count;
  }
  __syncthreads();
  for (int i = 0; i < Rounds; ++i) {
    int to = counters[warp][key[i] >> shift & (Digits - 1)] + rank[i];
    if (How != Form::HalfStores || key[i] % 2)
      out[to] = How == Form::FromGlobal ? keys[first + i * 32] : key[i];
    if (How == Form::Values)
      outValues[to] = values[first + i * 32] + i + lane;
    if (How == Form::ReadsBack)
      outValues[to] = out[to] + 1;
  }
  if (How == Form::LooksAfterwards) {
    __syncthreads();
    kept[blockIdx.x * Threads + thread] = counters[warp][lane];
  }
}

template <int Threads, int Rounds, Form How> void check(const char *name, unsigned spread) {
  constexpr int Blocks = 3, Warps = Threads / 32, Digits = Threads & -Threads, Tile = Threads * Rounds;
  constexpr int n = Blocks * Tile, Shift = 5;
  constexpr int Apart = Tile + 3 * Warps; // places of a digit and block, for counters that do not start at zero
  constexpr int Room = How == Form::NotZero ? Blocks * Threads * Apart : n;
  Random random(Threads + Rounds + spread);
  std::vector<unsigned> keys(Room), values(Room), out(Room), outValues(Room);
  std::vector<int> starts(Blocks * Threads), kept(n), keptMost(Blocks * Warps * Threads + n);
  for (int i = 0; i < n; ++i) {
    keys[i] = random.bits() % spread << Shift | random.bits() % 32;
    values[i] = random.bits();
  }
  auto digitOf = [&](unsigned key) { return int(key >> Shift & (Digits - 1)); };
  if (How == Form::InPlace) { // each block within its own part
    for (int b = 0; b < Blocks; ++b)
      for (int d = 0, at = b * Tile; d < Threads; ++d) {
        starts[b * Threads + d] = at;
        for (int i = b * Tile; i < (b + 1) * Tile; ++i)
          at += d < Digits && digitOf(keys[i]) == d;
      }
  } else if (How == Form::NotZero) {
    for (int i = 0; i < Blocks * Threads; ++i)
      starts[i] = i * Apart;
  } else { // by digit, then by block
    int at = 0;
    for (int d = 0; d < Threads; ++d)
      for (int b = 0; b < Blocks; ++b) {
        starts[b * Threads + d] = at;
        for (int i = b * Tile; i < (b + 1) * Tile; ++i)
          at += d < Digits && digitOf(keys[i]) == d;
      }
  }
  if (How == Form::InPlace)
    out = keys;
  for (int b = 0; b < Blocks; ++b) {
    std::vector<std::vector<int>> counters(Warps, std::vector<int>(Threads)), firsts = counters;
    for (auto &row : counters)
      for (int d = 0; d < Threads; ++d)
        row[d] = How == Form::NotZero ? d % 3 : 0;
    std::vector<int> ranks(Tile);
    for (int k = 0; k < Tile; ++k) {
      ranks[k] = counters[k / (32 * Rounds)][digitOf(keys[b * Tile + k])]++;
      if (How == Form::KeepsRanks)
        keptMost[b * Tile + k] = ranks[k];
    }
    for (int d = 0; d < Threads; ++d) {
      int place = starts[b * Threads + d];
      for (int j = 0; j < Warps; ++j) {
        int i = How == Form::Backwards ? Warps - 1 - j : j;
        firsts[i][d] = place;
        place += counters[i][d];
        if (How == Form::KeepsCounts)
          keptMost[(b * Warps + i) * Threads + d] = counters[i][d];
      }
    }
    for (int k = 0; k < Tile; ++k) {
      int from = b * Tile + k, to = firsts[k / (32 * Rounds)][digitOf(keys[from])] + ranks[k];
      if (How != Form::HalfStores || keys[from] % 2)
        out[to] = keys[from];
      if (How == Form::Values)
        outValues[to] = values[from] + k / 32 % Rounds + k % 32;
      if (How == Form::ReadsBack)
        outValues[to] = out[to] + 1;
    }
    if (How == Form::LooksAfterwards)
      for (int t = 0; t < Threads; ++t)
        keptMost[b * Threads + t] = firsts[t / 32][t % 32];
  }
  Buffer<unsigned> deviceKeys(keys), deviceValues(values), deviceOut(Room), deviceOutValues(Room);
  Buffer<int> deviceStarts(starts), deviceKept(keptMost.size());
  unsigned *to = How == Form::InPlace ? deviceKeys.data : deviceOut.data;
  scatter<Threads, Rounds, How><<<Blocks, Threads>>>(deviceKeys.data, deviceValues.data, Shift, deviceStarts.data, to,
                                                     deviceOutValues.data, deviceKept.data);
  checkLaunch();
  expectAll(std::string(name) + " keys", How == Form::InPlace ? deviceKeys.get() : deviceOut.get(), out);
  expectAll(std::string(name) + " values", deviceOutValues.get(), outValues);
  expectAll(std::string(name) + " kept", deviceKept.get(), keptMost);
}

template <int Threads, int Rounds> void checkSorts(unsigned spread) {
  check<Threads, Rounds, Form::Plain>("plain", spread);
  check<Threads, Rounds, Form::Values>("values", spread);
  check<Threads, Rounds, Form::InPlace>("in place", spread);
}

template <int Threads, int Rounds> void checkOthers(unsigned spread) {
  check<Threads, Rounds, Form::NotZero>("not zero", spread);
  check<Threads, Rounds, Form::KeepsCounts>("keeps counts", spread);
  check<Threads, Rounds, Form::KeepsRanks>("keeps ranks", spread);
  check<Threads, Rounds, Form::LooksAfterwards>("looks afterwards", spread);
  check<Threads, Rounds, Form::Backwards>("backwards", spread);
  check<Threads, Rounds, Form::ReadsBack>("reads back", spread);
  check<Threads, Rounds, Form::HalfStores>("half stores", spread);
  check<Threads, Rounds, Form::FromGlobal>("from global", spread);
}

int main() {
  for (unsigned spread : {1u, 3u, 1000u}) {
    checkSorts<64, 1>(spread);
    checkSorts<64, 4>(spread);
    checkSorts<96, 2>(spread);
    checkSorts<256, 3>(spread);
    checkOthers<64, 4>(spread);
  }
  return finish();
}
