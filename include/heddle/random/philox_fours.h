// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device API has for Philox alone: four numbers at a time, of one step of the counter.
#ifndef HEDDLE_RANDOM_PHILOX_FOURS_H
#define HEDDLE_RANDOM_PHILOX_FOURS_H

#include "distributions.h"
#include "poisson.h"

/// Four uniform numbers of (0, 1].
__host__ __device__ inline float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  uint4 w = curand4(state);
  float4 r;
  r.x = heddle::random::toUniform(w.x), r.y = heddle::random::toUniform(w.y);
  r.z = heddle::random::toUniform(w.z), r.w = heddle::random::toUniform(w.w);
  return r;
}

/// Two uniform numbers of 53 bits.
__host__ __device__ inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  return heddle::random::nextUniformPair(state);
}

/// Four of them, of two steps.
__host__ __device__ inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
  double2 a = heddle::random::nextUniformPair(state), b = heddle::random::nextUniformPair(state);
  double4 r;
  r.x = a.x, r.y = a.y, r.z = b.x, r.w = b.y;
  return r;
}

/// Four normal numbers.
__host__ __device__ inline float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  float4 u = curand_uniform4(state);
  float2 a = heddle::random::toNormalPair(u.x, u.y), b = heddle::random::toNormalPair(u.z, u.w);
  float4 r;
  r.x = a.x, r.y = a.y, r.z = b.x, r.w = b.y;
  return r;
}
__host__ __device__ inline double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
  double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
  double4 r;
  r.x = a.x, r.y = a.y, r.z = b.x, r.w = b.y;
  return r;
}

/// Four numbers whose logarithms are normal.
__host__ __device__ inline float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
                                                     float stddev) {
  float4 r = curand_normal4(state);
  r.x = expf(mean + stddev * r.x), r.y = expf(mean + stddev * r.y);
  r.z = expf(mean + stddev * r.z), r.w = expf(mean + stddev * r.w);
  return r;
}
__host__ __device__ inline double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state,
                                                             double mean, double stddev) {
  double4 r = curand_normal4_double(state);
  r.x = exp(mean + stddev * r.x), r.y = exp(mean + stddev * r.y);
  r.z = exp(mean + stddev * r.z), r.w = exp(mean + stddev * r.w);
  return r;
}

/// Four numbers of a discrete distribution.
__host__ __device__ inline uint4
curand_discrete4(curandStatePhilox4_32_10_t *state,
                 curandDiscreteDistribution_t discrete_distribution) {
  uint4 w = curand4(state), r;
  r.x = heddle::random::lookUp(*discrete_distribution, heddle::random::toUniformDouble(w.x));
  r.y = heddle::random::lookUp(*discrete_distribution, heddle::random::toUniformDouble(w.y));
  r.z = heddle::random::lookUp(*discrete_distribution, heddle::random::toUniformDouble(w.z));
  r.w = heddle::random::lookUp(*discrete_distribution, heddle::random::toUniformDouble(w.w));
  return r;
}

/// Four Poisson numbers of that mean, one after another but where normal ones make them.
__host__ __device__ inline uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda) {
  uint4 r;
  if (lambda > 4000) {
    double4 n = curand_normal4_double(state);
    r.x = heddle::random::roundPoisson(lambda, n.x),
    r.y = heddle::random::roundPoisson(lambda, n.y);
    r.z = heddle::random::roundPoisson(lambda, n.z),
    r.w = heddle::random::roundPoisson(lambda, n.w);
    return r;
  }
  r.x = curand_poisson(state, lambda), r.y = curand_poisson(state, lambda);
  r.z = curand_poisson(state, lambda), r.w = curand_poisson(state, lambda);
  return r;
}

#endif // HEDDLE_RANDOM_PHILOX_FOURS_H
