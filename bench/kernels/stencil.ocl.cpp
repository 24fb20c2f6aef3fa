// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "stencil.h"

using namespace stencil;

static void run(bench::Data &data) {
  bench::opencl::launch("stencil", "stencil5", {N / TileX, N / TileY}, {TileX, TileY}, N, data.arrays[0],
                        data.arrays[1]);
}

static void runShared(bench::Data &data) {
  bench::opencl::launch("stencil", "stencil5Shared", {N / TileX, N / TileY}, {TileX, TileY}, N, data.arrays[0],
                        data.arrays[1]);
}

BENCHMARK("stencil_2d", problem, run)
BENCHMARK("stencil_2d_shared", problem, runShared)
