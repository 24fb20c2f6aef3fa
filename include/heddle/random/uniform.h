// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uniform numbers of random bits. They lie in (0, 1]: a word's middle, not its lower end (cuRAND
// guide, 3.1.4).
#ifndef HEDDLE_RANDOM_UNIFORM_H
#define HEDDLE_RANDOM_UNIFORM_H

#include "../../host_defines.h"

namespace heddle {
namespace random {

constexpr float Word = 2.3283064365386963e-10f;
constexpr double DoubleWord = 1.1102230246251565e-16;

/// The middle of word x's interval.
__host__ __device__ inline float toUniform(unsigned x) { return (float)x * Word + Word / 2; }

/// The same in double precision, of one word of 32 bits: the upper end of its interval; and of one
/// of 64.
__host__ __device__ inline double toUniformDouble(unsigned x) {
  return x * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
__host__ __device__ inline double toUniformDouble(unsigned long long x) {
  return (double)(x >> 11) * DoubleWord + DoubleWord / 2;
}

/// The upper 53 bits of 64 that two words give: the first is the lower one.
__host__ __device__ inline unsigned long long mixWords(unsigned low, unsigned high) {
  return low ^ ((unsigned long long)high << (53 - 32));
}

__host__ __device__ inline double toUniformDouble(unsigned low, unsigned high) {
  return mixWords(low, high) * DoubleWord + DoubleWord / 2;
}

} // namespace random
} // namespace heddle

#endif // HEDDLE_RANDOM_UNIFORM_H
