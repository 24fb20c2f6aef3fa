// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harris.h"

using harris::N;

/// The sums of the CUDA form's blocks; only the seventh form's blocks have more than one piece.
template <int Form> static void run(bench::Data &data) {
  constexpr int Blocks = harris::blocks(Form), Piece = harris::elements(Form);
  const float *in = data.get<float>(0);
  float *sums = data.get<float>(1);
#pragma omp parallel for
  for (int block = 0; block < Blocks; ++block) {
    float sum = 0;
    for (int piece = block; piece < N / Piece; piece += Blocks)
#pragma omp simd reduction(+ : sum)
      for (int i = 0; i < Piece; ++i)
        sum += in[piece * Piece + i];
    sums[block] = sum;
  }
}

HARRIS_BENCHMARK(1, "divergent")
HARRIS_BENCHMARK(2, "conflicts")
HARRIS_BENCHMARK(3, "sequential")
HARRIS_BENCHMARK(4, "first_add")
HARRIS_BENCHMARK(5, "last_warp")
HARRIS_BENCHMARK(6, "unrolled")
HARRIS_BENCHMARK(7, "multiple")
