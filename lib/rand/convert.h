// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distributions of random words, over arrays, so that the compiler makes them of vectors. A
// function that takes two or four arrays of words takes one of each for every number or pair that
// it makes.
#pragma once

#include "engine.h"

#include <cstddef>
#include <cstdint>

// Several versions of a function, of which the one that suits the processor runs.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer)
#define HEDDLE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HEDDLE_CLONES
#endif

namespace heddle::rand {

/// What a normal number becomes.
struct Shape {
  double mean, deviation;
  bool exponential;

  explicit Shape(const Request &r)
      : mean(r.mean), deviation(r.deviation), exponential(r.exponential) {}
};

/// float = word 2^-32 + 2^-33.
void toUniform(const uint32_t *words, float *out, size_t count);
/// double = (word + 1) 2^-32.
void toUniformDouble(const uint32_t *words, double *out, size_t count);
/// (word + 1/2) 2^-32, rounded once.
void toMiddle(const uint32_t *words, float *out, size_t count);
void toMiddle(const uint32_t *words, double *out, size_t count);
/// double = (low ^ high 2^21) 2^-53 + 2^-54.
void toUniformDouble(const uint32_t *low, const uint32_t *high, double *out, size_t count);

/// Pairs of normal numbers by Box and Muller's method of pairs of uniform ones: `u` gives the
/// distance, `angle` the direction in turns.
void toNormalPairs(const float *u, const float *angle, float *out, size_t pairs,
                   const Shape &shape);
void toNormalPairs(const double *u, const double *angle, double *out, size_t pairs,
                   const Shape &shape);

/// Normal numbers by the inverse of the distribution's integral, which keeps the order of
/// quasirandom numbers.
void toNormal(const uint32_t *words, float *out, size_t count, const Shape &shape);
void toNormal(const double *u, double *out, size_t count, const Shape &shape);

} // namespace heddle::rand
