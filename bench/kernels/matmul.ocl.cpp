// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../harness/opencl.h"
#include "matmul.h"

static void naive(bench::Data &data) {
  using namespace matmul;
  bench::opencl::launch("matmul", "matmulNaive", {N / 16, N / 16}, {16, 16}, N, data.arrays[0], data.arrays[1],
                        data.arrays[2]);
}

template <int Tile> static void tiled(bench::Data &data) {
  using namespace matmul;
  bench::opencl::launch("matmul", Tile == 16 ? "matmulTiled16" : "matmulTiled32", {N / Tile, N / Tile},
                        {Tile, Tile}, N, data.arrays[0], data.arrays[1], data.arrays[2]);
}

BENCHMARK("matmul_naive", matmul::problem, naive)
BENCHMARK("matmul_tiled16", matmul::problem, tiled<16>)
BENCHMARK("matmul_tiled32", matmul::problem, tiled<32>)
