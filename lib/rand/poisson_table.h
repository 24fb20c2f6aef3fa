// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson numbers of one uniform number each. What cuRAND's host API gives was measured on an H200:
// each generator has one of three methods for a mean (poissonMethod), which give other numbers.
#pragma once

#include <curand.h>
#include <curand_discrete.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::rand {

enum class PoissonMethod {
  /// Marsaglia, Tsang and Wang ("Fast generation of discrete random variables", Journal of
  /// Statistical Software 11, 2004, method II): the histogram's bars are cut and piled into columns
  /// of equal height, each of at most two values.
  Columns,
  Inverse, ///< the inverse of the cumulative distribution, which keeps the order of numbers
  Normal,  ///< normal numbers: near enough to large means, and need no table
};

PoissonMethod poissonMethod(curandRngType_t type, double lambda);

/// A cuRAND discrete distribution and the memory that it points to.
class PoissonTable {
public:
  /// The largest lambda that the host API takes.
  static constexpr double MaxLambda = 400000;

  PoissonTable(double lambda, PoissonMethod method);

  PoissonMethod method() const { return how; }
  /// Numbers of uniform ones in (0, 1].
  void sample(const double *u, uint32_t *out, size_t count) const;
  /// Numbers of normal ones.
  void sampleNormal(const float *normal, uint32_t *out, size_t count) const;

  double lambda() const { return mean; }
  const std::vector<double> &bounds() const { return bound; }
  const std::vector<uint32_t> &others() const { return other; }
  const std::vector<double> &probabilities() const { return probability; }
  uint32_t first() const { return shift; }

private:
  void square(std::vector<double> bars);
  void sum();
  uint32_t columnOf(size_t at, double u) const {
    return u < bound[at] ? static_cast<uint32_t>(at) : other[at];
  }
  uint32_t inverseOf(size_t at, double u) const;

  double mean;
  PoissonMethod how;
  uint32_t shift;                  ///< the value of the first column
  std::vector<double> probability; ///< of each value from `shift` on
  std::vector<double> bound;       ///< up to where in [0, 1] a column's own value goes
  std::vector<uint32_t> other;     ///< the value of the column's rest
  std::vector<double> cumulative;  ///< probability of each value from `shift` on or a smaller one
  std::vector<uint32_t> start;     ///< of each of equal parts of [0, 1]: the first value in it
};

} // namespace heddle::rand
