// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson numbers in kernels (cuRAND guide, 3.1.4 and 3.4): of a table that
// curandCreatePoissonDistribution made, from one word each; or of a mean alone, from as many words
// as it takes, or, for the generators that a block or an order needs in step, from one.
#ifndef HEDDLE_RANDOM_POISSON_H
#define HEDDLE_RANDOM_POISSON_H

#include "../../curand_discrete.h"
#include "distributions.h"

namespace heddle {
namespace random {

/// A uniform number in double precision of one word.
template <typename S> __host__ __device__ inline double oneWordUniform(S *s) {
  return toUniformDouble(curand(s));
}
__host__ __device__ inline double oneWordUniform(curandStateMRG32k3a *s) {
  return toMrgDouble(nextMrg(*s));
}

/// The table's number for a uniform one of (0, 1].
__host__ __device__ inline unsigned lookUp(const curandDiscreteDistribution_st &d, double u) {
  unsigned column = (unsigned)(u * d.length);
  if (column >= d.length)
    column = d.length - 1;
  return d.shift + (u < d.bound[column] ? column : d.other[column]);
}

/// The number nearest to a normal one of that mean and variance.
__host__ __device__ inline unsigned roundPoisson(double lambda, double normal) {
  double x = lambda + sqrt(lambda) * normal + 0.5;
  return x > 0 ? (unsigned)x : 0;
}

/// Knuth's method ("The Art of Computer Programming" 2, 3.4.1): as many uniform numbers as it takes
/// for their product to fall below e^-lambda.
template <typename S> __host__ __device__ inline unsigned poissonByProduct(S *s, double lambda) {
  float limit = expf((float)-lambda), product = 1;
  unsigned k = 0;
  do {
    ++k;
    product *= nextUniform(s);
  } while (product > limit);
  return k - 1;
}

/// Hoermann's transformed rejection ("The transformed rejection method for generating Poisson
/// random variables", Insurance: Mathematics and Economics 12, 1993, algorithm PTRS), for lambda of
/// 10 and more.
template <typename S> __host__ __device__ inline unsigned poissonByRejection(S *s, double lambda) {
  double slam = sqrt(lambda), loglam = log(lambda), b = 0.931 + 2.53 * slam;
  double a = -0.059 + 0.02483 * b, inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  double vr = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    double u = nextUniformDouble(s) - 0.5, v = nextUniformDouble(s);
    double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= vr)
      return (unsigned)k;
    if (k < 0 || (us < 0.013 && v > us))
      continue;
    if (log(v) + log(inverseAlpha) - log(a / (us * us) + b) <= -lambda + k * loglam - lgamma(k + 1))
      return (unsigned)k;
  }
}

/// The inverse of the Poisson distribution's integral at u, by adding probabilities up, or of the
/// normal one's for a mean of 1000 and more, as a GPU does. The probabilities are multiplied by
/// e^(lambda / 2), for e^-lambda may be too small for a double.
__host__ __device__ inline unsigned inversePoisson(double u, double normal, double lambda) {
  if (lambda >= 1000)
    return roundPoisson(lambda, normal);
  double probability = exp(-lambda / 2), sum = probability;
  u *= exp(lambda / 2);
  unsigned k = 0;
  // The sum stops growing before it reaches a u that is next to 1.
  while (u > sum && ((probability > 0 && sum + probability != sum) || k < lambda)) {
    ++k;
    probability *= lambda / k;
    sum += probability;
  }
  return k;
}

template <typename Word> __host__ __device__ inline unsigned poissonOfWord(Word w, double lambda) {
  return inversePoisson(toUniformDouble(w) - 1.1641532182693481e-10, inverseNormalDoubleOf(w),
                        lambda);
}

} // namespace random
} // namespace heddle

/// A number of a discrete distribution.
template <typename S>
__host__ __device__ inline unsigned int
curand_discrete(S *state, curandDiscreteDistribution_t discrete_distribution) {
  return heddle::random::lookUp(*discrete_distribution, heddle::random::oneWordUniform(state));
}

/// A Poisson number of that mean.
template <typename S>
__host__ __device__ inline heddle::random::IfPaired<S, unsigned int> curand_poisson(S *state,
                                                                                    double lambda) {
  if (lambda < 64)
    return heddle::random::poissonByProduct(state, lambda);
  if (lambda > 4000)
    return heddle::random::roundPoisson(lambda, curand_normal_double(state));
  return heddle::random::poissonByRejection(state, lambda);
}
template <typename S>
__host__ __device__ inline heddle::random::IfSingle<S, unsigned int> curand_poisson(S *state,
                                                                                    double lambda) {
  return heddle::random::poissonOfWord(curand(state), lambda);
}

#endif // HEDDLE_RANDOM_POISSON_H
