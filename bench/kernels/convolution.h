// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 1D convolution with 33 weights in constant memory; the input is padded.
#pragma once

#include "../harness/bench.h"

namespace convolution {
constexpr int N = 1 << 22;
constexpr int Radius = 16, Taps = 2 * Radius + 1;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Flops, 2.0 * Taps * N};
  return problem.input(bench::randomFloats(N + 2 * Radius, -1, 1, 1))
      .input(bench::randomFloats(Taps, -1, 1, 2))
      .output<float>(N);
}
} // namespace convolution
