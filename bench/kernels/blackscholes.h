// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call and put prices of European options; the normal distribution by a polynomial (Abramowitz and
// Stegun
// 26.2.17). Items are options.
#pragma once

#include "../harness/bench.h"

namespace blackscholes {
constexpr int N = 1 << 20;
constexpr float Rate = 0.02f, Volatility = 0.3f;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N)};
  return problem.input(bench::randomFloats(N, 5, 30, 1))
      .input(bench::randomFloats(N, 1, 100, 2))
      .input(bench::randomFloats(N, 0.25f, 10, 3))
      .output<float>(N)
      .output<float>(N);
}
} // namespace blackscholes
