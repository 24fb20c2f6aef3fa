// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "needle.h"

#include <algorithm>

using namespace needle;

constexpr int Large = 128; // a tile's side here

static void alignTile(int row, int column, const int *scores, int *cells) {
  for (int y = row; y < row + Large; ++y) {
    const int *above = cells + y * Width + column, *score = scores + y * N + column;
    int *here = cells + (y + 1) * Width + column, best[Large];
    for (int x = 0; x < Large; ++x)
      best[x] = std::max(above[x] + score[x], above[x + 1] - Penalty);
    int left = here[0];
    for (int x = 0; x < Large; ++x)
      here[x + 1] = left = std::max(best[x], left - Penalty);
  }
}

static void run(bench::Data &data) {
  const int *scores = data.get<int>(0);
  int *cells = data.get<int>(1);
  for (int i = 0; i < Width; ++i)
    cells[i] = cells[i * Width] = -i * Penalty;
  constexpr int Across = N / Large;
  for (int diagonal = 0; diagonal < 2 * Across - 1; ++diagonal) {
    int from = first(diagonal, Across), to = from + count(diagonal, Across);
#pragma omp parallel for
    for (int tile = from; tile < to; ++tile)
      alignTile(tile * Large, (diagonal - tile) * Large, scores, cells);
  }
}

BENCHMARK("needle", problem, run)
