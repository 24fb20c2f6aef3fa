// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A discrete distribution (cuRAND guide, 3.4): probabilities of the numbers from a first one on, as
// a table for curand_discrete. Made by curandCreatePoissonDistribution, in the device's memory.
#ifndef HEDDLE_CURAND_DISCRETE_H
#define HEDDLE_CURAND_DISCRETE_H
#define CURAND_DISCRETE_H_

/// A table of n columns of equal height: column j stands for number `shift + j` where a uniform
/// number of (0, 1] is below bound[j], else for `shift + other[j]` (Marsaglia, Tsang, Wang 2004).
struct curandDiscreteDistribution_st {
  unsigned int shift;
  unsigned int length;
  const double *bound;
  const unsigned int *other;
};

typedef struct curandDiscreteDistribution_st curandDiscreteDistribution_st;
typedef struct curandDiscreteDistribution_st *curandDiscreteDistribution_t;

#endif // HEDDLE_CURAND_DISCRETE_H
