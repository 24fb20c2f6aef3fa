// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "stencil3d.h"

using namespace stencil3d;

static void run(bench::Data &data) {
  bench::opencl::launch("stencil3d", "stencil7", {N / TileX, N / TileY, N}, {TileX, TileY}, N, data.arrays[0],
                        data.arrays[1]);
}

static void runShared(bench::Data &data) {
  bench::opencl::launch("stencil3d", "stencil7Shared", {N / TileX, N / TileY, N / Steps}, {TileX, TileY}, N,
                        data.arrays[0], data.arrays[1]);
}

BENCHMARK("stencil_3d", problem, run)
BENCHMARK("stencil_3d_shared", problem, runShared)
