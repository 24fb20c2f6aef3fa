// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "sgemm.h"

template <int Tile> static void run(bench::Data &data) {
  using sgemm::N;
  bench::opencl::launch("sgemm", Tile == 128 ? "sgemm128" : "sgemm64", {N / Tile, N / Tile}, {256}, N,
                        data.arrays[0], data.arrays[1], data.arrays[2]);
}

BENCHMARK("sgemm_128x128", sgemm::problem, run<128>)
BENCHMARK("sgemm_64x64", sgemm::problem, run<64>)
