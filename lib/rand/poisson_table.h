// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson numbers of one uniform number each, by Marsaglia, Tsang and Wang's table ("Fast
// generation of discrete random variables", Journal of Statistical Software 11, 2004, method II):
// the histogram's bars are cut and piled into columns of equal height, each of at most two values.
// From a mean of 2000 on the host API takes normal numbers instead, as cuRAND does: they are near
// enough there, and need no table.
#pragma once

#include <curand.h>
#include <curand_discrete.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::rand {

/// A cuRAND discrete distribution and the memory that it points to.
class PoissonTable {
public:
  /// The largest lambda that the host API takes.
  static constexpr double MaxLambda = 400000;

  /// From this lambda on numbers are made of normal ones.
  static constexpr double NormalLambda = 2000;

  explicit PoissonTable(double lambda);

  bool isNormal() const { return mean >= NormalLambda; }
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

  double mean;
  uint32_t shift;                  ///< the value of the first column
  std::vector<double> probability; ///< of each value from `shift` on
  std::vector<double> bound;       ///< up to where in [0, 1] a column's own value goes
  std::vector<uint32_t> other;     ///< the value of the column's rest
};

} // namespace heddle::rand
