// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose.h"

using namespace transpose;

static void naive(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int y = 0; y < N; ++y)
    for (int x = 0; x < N; ++x)
      out[x * N + y] = in[y * N + x];
}

static void tiled(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for collapse(2)
  for (int tileY = 0; tileY < N; tileY += Tile)
    for (int tileX = 0; tileX < N; tileX += Tile)
      for (int y = tileY; y < tileY + Tile; ++y)
        for (int x = tileX; x < tileX + Tile; ++x)
          out[x * N + y] = in[y * N + x];
}

BENCHMARK("transpose_naive", problem, naive)
BENCHMARK("transpose_tiled", problem, tiled)
