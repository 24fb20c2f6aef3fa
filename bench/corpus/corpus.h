// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the families of the corpus share. A family is three files: FAMILY.h (the problems: sizes and
// inputs), FAMILY.cu (each kernel in the plain form of a textbook, and its launch) and
// FAMILY.omp.cpp (the loops that a C++ programmer writes for the same job). Sizes are odd where the
// algorithm allows; one run takes 0.3 to 5 ms on a core.
#pragma once

#include "../harness/bench.h"

#include <cmath>

namespace corpus {

/// Blocks of `block` threads that cover `count`.
inline unsigned cover(int count, int block) { return unsigned((count + block - 1) / block); }

/// What results in float may differ by that take `operations` roundings one after the other, in
/// another order or with products contracted; the harness compares with the value plus the root
/// mean square of all.
inline double floatError(double operations) { return 4 * operations * 5.97e-8; }
inline double doubleError(double operations) { return 4 * operations * 1.12e-16; }

/// A problem that is measured in items; `tolerance` as in bench::Problem.
inline bench::Problem items(double work, double tolerance) {
  return {bench::Unit::Items, work, tolerance, {}};
}

using bench::randomFloats;

inline std::vector<double> randomDoubles(size_t count, double low, double high, uint32_t seed) {
  bench::Random random(seed);
  std::vector<double> values(count);
  for (double &value : values)
    value = low + (high - low) * (random.next() / 4294967296.0);
  return values;
}

/// Whole numbers from 0 to `bound` - 1.
template <class T = int> std::vector<T> randomInts(size_t count, int bound, uint32_t seed) {
  bench::Random random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(random.below(bound));
  return values;
}

} // namespace corpus
