// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts 32-bit keys by their digits from the least one up. A pass counts the digits of each tile, scans the counts of all
// tiles, ranks the keys of a tile in shared memory (a thread counts a run of keys, the counts are scanned) and
// scatters them in order. Eight passes of four bits; the OpenMP form, which needs no counts per thread in shared
// memory, takes four of eight. Items are keys.
#pragma once

#include "../harness/bench.h"

namespace radixsort {
constexpr int N = 1 << 20;
constexpr int Bits = 4, Digits = 1 << Bits, Passes = 32 / Bits;
constexpr int Block = 128, Run = 8, Tile = Block * Run, Tiles = N / Tile;
constexpr int ScanBlock = 256; // of the one block that scans Digits * Tiles counts

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N)};
  problem.tolerance = 0;
  bench::Random random(11);
  std::vector<unsigned> keys(N);
  for (unsigned &key : keys)
    key = random.next();
  return problem.input(keys).output<unsigned>(N).scratch<unsigned>(N).scratch<int>(Digits * Tiles);
}
} // namespace radixsort
