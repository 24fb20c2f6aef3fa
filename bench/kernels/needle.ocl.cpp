// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "needle.h"

using namespace needle;

static void run(bench::Data &data) {
  void *scores = data.arrays[0], *cells = data.arrays[1];
  bench::opencl::launch("needle", "border", {(Width + 255) / 256}, {256}, cells);
  for (int diagonal = 0; diagonal < 2 * Tiles - 1; ++diagonal)
    bench::opencl::launch("needle", "alignTiles", {size_t(count(diagonal, Tiles))}, {Tile}, diagonal,
                          first(diagonal, Tiles), scores, cells);
}

BENCHMARK("needle", problem, run)
