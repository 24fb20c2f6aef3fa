// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pi by darts, with a xorshift generator in every thread. Items are darts.
#pragma once

#include "../harness/bench.h"

namespace montecarlo {
constexpr int Threads = 1 << 14, Darts = 1024;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(Threads) * Darts};
  problem.tolerance = 0.05; // fused or not, a dart on the circle may fall on either side
  return problem.output<int>(Threads);
}
} // namespace montecarlo
