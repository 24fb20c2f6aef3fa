// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Fourier transform of 2^20 complex numbers in five passes of radix 16 (Stockham's order, so
// nothing is permuted at the end): a thread loads 16 numbers, multiplies them by powers of a root
// of unity from a table, transforms them in registers and stores them where the next pass reads.
// The 16-point transform is shared by all forms (fft16.inc).
#pragma once

#include "../harness/bench.h"

#include <cmath>

namespace fft {
constexpr int N = 1 << 20, Radix = 16, Passes = 5;
constexpr int Block = 128;

/// Where the roots of the pass begin whose transforms so far have `length` points: exp(-2 pi i k /
/// (16 length)), k < length.
constexpr int rootsAt(int length) { return (length - 1) / (Radix - 1); }

/// Arrays of pairs: the numbers, the roots, two arrays between the passes, the result.
inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Flops, 5.0 * N * 20};
  std::vector<float> roots;
  for (int length = 1; length < N; length *= Radix)
    for (int k = 0; k < length; ++k) {
      double angle = -2 * M_PI * k / (double(Radix) * length);
      roots.push_back(float(std::cos(angle)));
      roots.push_back(float(std::sin(angle)));
    }
  return problem.input(bench::randomFloats(2 * N, -1, 1, 1))
      .input(roots)
      .scratch<float>(2 * N)
      .scratch<float>(2 * N)
      .output<float>(2 * N);
}
} // namespace fft
