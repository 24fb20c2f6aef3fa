// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "poisson_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace heddle::rand {

PoissonMethod poissonMethod(curandRngType_t type, double lambda) {
  double inverseFrom = HUGE_VAL, normalFrom = 2000;
  switch (type) {
  case CURAND_RNG_PSEUDO_MTGP32:
    inverseFrom = 32, normalFrom = std::nextafter(8000, HUGE_VAL);
    break;
  case CURAND_RNG_QUASI_SOBOL32:
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    inverseFrom = 10, normalFrom = std::nextafter(8000, HUGE_VAL);
    break;
  case CURAND_RNG_QUASI_SOBOL64:
  case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64:
    inverseFrom = 0;
    break;
  default:
    break;
  }
  return lambda >= normalFrom    ? PoissonMethod::Normal
         : lambda >= inverseFrom ? PoissonMethod::Inverse
                                 : PoissonMethod::Columns;
}

PoissonTable::PoissonTable(double lambda, PoissonMethod method) : mean(lambda), how(method) {
  if (method == PoissonMethod::Normal)
    return;
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
  method == PoissonMethod::Inverse ? sum() : square(probability);
}

void PoissonTable::sum() {
  size_t n = probability.size();
  std::partial_sum(probability.begin(), probability.end(), std::back_inserter(cumulative));
  for (size_t part = 0, value = 0; part < n; ++part) {
    while (value + 1 < n && cumulative[value] < static_cast<double>(part) / static_cast<double>(n))
      ++value;
    start.push_back(static_cast<uint32_t>(value));
  }
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

uint32_t PoissonTable::inverseOf(size_t at, double u) const {
  uint32_t value = start[at];
  while (value + 1 < cumulative.size() && cumulative[value] < u)
    ++value;
  return value;
}

void PoissonTable::sample(const double *u, uint32_t *out, size_t count) const {
  size_t parts = probability.size();
  auto each = [&](auto valueOf) {
    for (size_t i = 0; i < count; ++i)
      out[i] =
          shift + valueOf(std::min(static_cast<size_t>(u[i] * double(parts)), parts - 1), u[i]);
  };
  if (how == PoissonMethod::Inverse)
    each([this](size_t at, double u) { return inverseOf(at, u); });
  else
    each([this](size_t at, double u) { return columnOf(at, u); });
}

void PoissonTable::sampleNormal(const float *normal, uint32_t *out, size_t count) const {
  double deviation = std::sqrt(mean);
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<uint32_t>(std::max(mean + deviation * normal[i] + 0.5, 0.0));
}

} // namespace heddle::rand
