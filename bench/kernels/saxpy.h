// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = a * x + z, too large for the caches. (z and not y on the right side, so that a run can be
// repeated.)
#pragma once

#include "../harness/bench.h"

namespace saxpy {
constexpr int N = 1 << 24;
constexpr float A = 2.5f;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Bytes, 3.0 * sizeof(float) * N};
  return problem.input(bench::randomFloats(N, -1, 1, 1))
      .input(bench::randomFloats(N, -1, 1, 2))
      .output<float>(N);
}
} // namespace saxpy
