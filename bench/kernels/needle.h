// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needleman and Wunsch's alignment: each cell from the ones above, to the left and above that.
// Tiles of 32x32 on one diagonal are independent; a launch does a diagonal, a warp a tile, and
// walks over it by diagonals in shared memory. The OpenMP form takes larger tiles and walks by
// rows: the chain along a row is all that is serial.
#pragma once

#include "../harness/bench.h"

namespace needle {
constexpr int N = 2048, Width = N + 1; // cells of the matrix in a row: one more for the border
constexpr int Tile = 32, Tiles = N / Tile;
constexpr int Penalty = 10;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N) * N};
  problem.tolerance = 0;
  bench::Random random(1);
  std::vector<int> scores(size_t(N) * N);
  for (int &score : scores)
    score = int(random.next() % 21) - 10;
  return problem.input(scores).output<int>(size_t(Width) * Width);
}

/// The tiles of a diagonal: tile rows first to first + count - 1, the tile column is diagonal -
/// row.
constexpr int first(int diagonal, int tiles) { return diagonal < tiles ? 0 : diagonal - tiles + 1; }
constexpr int count(int diagonal, int tiles) {
  return (diagonal < tiles ? diagonal : tiles - 1) - first(diagonal, tiles) + 1;
}
} // namespace needle
