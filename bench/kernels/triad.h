// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// STREAM's triad with a grid-stride loop: few threads, each does many elements.
#pragma once

#include "../harness/bench.h"

namespace triad {
constexpr int N = 1 << 24;
constexpr int Blocks = 256;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, 3.0 * sizeof(float) * N};
  return problem.input(bench::randomFloats(N, 0, 1, 1))
      .input(bench::randomFloats(N, 0, 1, 2))
      .output<float>(N);
}
} // namespace triad
