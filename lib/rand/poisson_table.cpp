// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "poisson_table.h"

#include <algorithm>
#include <cmath>

namespace heddle::rand {

PoissonTable::PoissonTable(double lambda) : mean(lambda) {
  auto probabilityOf = [lambda](double k) {
    return std::exp(k * std::log(lambda) - lambda - std::lgamma(k + 1));
  };
  double first = std::floor(lambda), last = first;
  while (first > 0 && probabilityOf(first - 1) > 0)
    --first;
  while (probabilityOf(last + 1) > 0)
    ++last;
  shift = static_cast<uint32_t>(first);
  for (double k = first; k <= last; ++k)
    probability.push_back(probabilityOf(k));
  square(probability);
}

/// Goes round the columns and fills each that is too short up from the last bar that is too high,
/// which may be too short then.
void PoissonTable::square(std::vector<double> bars) {
  size_t n = bars.size(), donor = n - 1;
  double height = 1.0 / static_cast<double>(n);
  bound.resize(n), other.resize(n);
  for (size_t i = 0; i < n; ++i)
    bound[i] = static_cast<double>(i + 1) * height, other[i] = static_cast<uint32_t>(i);
  std::vector<bool> filled(n);
  for (size_t i = 0, since = 0; since < n; i = (i + 1) % n, ++since) {
    if (filled[i] || bars[i] >= height)
      continue;
    while (donor > 0 && (filled[donor] || bars[donor] <= height))
      --donor;
    if (filled[donor] || bars[donor] <= height)
      break; // what is left is rounding
    bound[i] = static_cast<double>(i) * height + bars[i];
    other[i] = static_cast<uint32_t>(donor);
    bars[donor] -= height - bars[i];
    filled[i] = true;
    since = 0;
  }
}

void PoissonTable::sample(const double *u, uint32_t *out, size_t count) const {
  double columns = static_cast<double>(bound.size());
  for (size_t i = 0; i < count; ++i) {
    size_t column = std::min(static_cast<size_t>(u[i] * columns), bound.size() - 1);
    out[i] = shift + (u[i] < bound[column] ? static_cast<uint32_t>(column) : other[column]);
  }
}

void PoissonTable::sampleNormal(const float *normal, uint32_t *out, size_t count) const {
  double deviation = std::sqrt(mean);
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<uint32_t>(std::max(mean + deviation * normal[i] + 0.5, 0.0));
}

} // namespace heddle::rand
