// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "transpose.h"

using namespace transpose;

static void naive(bench::Data &data) {
  bench::opencl::launch("transpose", "transposeNaive", {N / 32, N / 8}, {32, 8}, N, data.arrays[0],
                        data.arrays[1]);
}

static void tiled(bench::Data &data) {
  bench::opencl::launch("transpose", "transposeTiled", {N / Tile, N / Tile}, {Tile, 8}, N, data.arrays[0],
                        data.arrays[1]);
}

BENCHMARK("transpose_naive", problem, naive)
BENCHMARK("transpose_tiled", problem, tiled)
