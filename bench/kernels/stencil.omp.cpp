// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stencil.h"

using stencil::N;

/// Rows lie in the caches: a tile of them would be no faster.
static void run(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *out = data.get<float>(1);
#pragma omp parallel for
  for (int y = 0; y < N; ++y) {
    if (y == 0 || y == N - 1) {
      std::memcpy(out + y * N, in + y * N, N * sizeof(float));
      continue;
    }
    out[y * N] = in[y * N];
    for (int i = y * N + 1; i < y * N + N - 1; ++i)
      out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - N] + in[i + N]);
    out[y * N + N - 1] = in[y * N + N - 1];
  }
}

BENCHMARK("stencil_2d", stencil::problem, run)
BENCHMARK("stencil_2d_shared", stencil::problem, run)
