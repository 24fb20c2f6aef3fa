// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil3d.h"

using namespace stencil3d;

static void stencilRow(const float *in, float *out) {
  constexpr int Plane = N * N;
  out[0] = in[0];
  for (int x = 1; x < N - 1; ++x)
    out[x] = 0.4f * in[x] +
             0.1f * (in[x - 1] + in[x + 1] + in[x - N] + in[x + N] + in[x - Plane] + in[x + Plane]);
  out[N - 1] = in[N - 1];
}

/// Three planes lie in the second-level cache: no need for tiles.
static void run(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int z = 0; z < N; ++z)
    for (int y = 0; y < N; ++y) {
      int row = (z * N + y) * N;
      if (z > 0 && z < N - 1 && y > 0 && y < N - 1)
        stencilRow(in + row, out + row);
      else
        std::memcpy(out + row, in + row, N * sizeof(float));
    }
}

BENCHMARK("stencil_3d", problem, run)
BENCHMARK("stencil_3d_shared", problem, run)
