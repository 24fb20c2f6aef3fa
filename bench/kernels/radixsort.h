// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sorts 32-bit keys by their digits from the least one up, in passes of eight bits. A pass counts
// the digits of each tile, scans the counts, ranks the keys of a tile by warps (who has my digit,
// before me and in all?) and scatters them, as sorts for GPUs do since there is __match_any_sync
// (Adinets and Merrill, "Onesweep", 2022, section 3). The OpenMP form has one counter a digit and
// core. OpenCL 1.2 has no warps: that form ranks digits of four bits with counters for each work
// item, in eight passes. Items are keys.
#pragma once

#include "../harness/bench.h"

namespace radixsort {
constexpr int N = 1 << 20;
constexpr int Bits = 8, Digits = 1 << Bits, Passes = 32 / Bits;
constexpr int Block = 256, Warps = Block / 32, Run = 16, Tile = Block * Run, Tiles = N / Tile; // Run: keys a thread

namespace perItem { // the OpenCL form
constexpr int Bits = 4, Digits = 1 << Bits, Passes = 32 / Bits;
constexpr int Block = 128, Run = 8, Tile = Block * Run, Tiles = N / Tile;
constexpr int ScanBlock = 256; // of the one block that scans Digits * Tiles counts
} // namespace perItem

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N)};
  problem.tolerance = 0;
  bench::Random random(11);
  std::vector<unsigned> keys(N);
  for (unsigned &key : keys)
    key = random.next();
  return problem.input(keys).output<unsigned>(N).scratch<unsigned>(N).scratch<int>(Digits * (Tiles + 1));
}
} // namespace radixsort
