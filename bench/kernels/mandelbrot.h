// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iteration counts of the Mandelbrot set. Items are points.
#pragma once

#include "../harness/bench.h"

namespace mandelbrot {
constexpr int Width = 1024, Height = 768, Limit = 256;

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(Width) * Height};
  problem.tolerance = 5e-3; // rounding decides at the border
  return problem.output<int>(Width * Height);
}
} // namespace mandelbrot
