// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convert.h"

#include <heddle/random/inverse_normal.h>
#include <heddle/random/uniform.h>

#include <cmath>

namespace heddle::rand {

HEDDLE_CLONES void toUniform(const uint32_t *words, float *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(words[i]) * 0x1p-32f + 0x1p-33f;
}

HEDDLE_CLONES void toUniformDouble(const uint32_t *words, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = words[i] * 0x1p-32 + 0x1p-32;
}

HEDDLE_CLONES void toUniformDouble(const uint32_t *low, const uint32_t *high, double *out,
                                   size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = (low[i] ^ static_cast<uint64_t>(high[i]) << 21) * 0x1p-53 + 0x1p-54;
}

namespace {

template <typename T> T shaped(T normal, const Shape &shape) {
  T value = static_cast<T>(shape.mean) + normal * static_cast<T>(shape.deviation);
  return shape.exponential ? std::exp(value) : value;
}

template <typename T>
void makePairs(const T *u, const T *angle, T *out, size_t pairs, const Shape &shape) {
  constexpr T Turn = static_cast<T>(6.283185307179586477);
  for (size_t i = 0; i < pairs; ++i) {
    T distance = std::sqrt(T(-2) * std::log(u[i])), direction = Turn * angle[i];
    out[2 * i] = shaped(std::sin(direction) * distance, shape);
    out[2 * i + 1] = shaped(std::cos(direction) * distance, shape);
  }
}

} // namespace

void toNormalPairs(const float *u, const float *angle, float *out, size_t pairs,
                   const Shape &shape) {
  makePairs(u, angle, out, pairs, shape);
}

void toNormalPairs(const double *u, const double *angle, double *out, size_t pairs,
                   const Shape &shape) {
  makePairs(u, angle, out, pairs, shape);
}

void toNormal(const uint32_t *words, float *out, size_t count, const Shape &shape) {
  for (size_t i = 0; i < count; ++i)
    out[i] = shaped(random::inverseNormalOf(words[i]), shape);
}

void toNormal(const double *u, double *out, size_t count, const Shape &shape) {
  for (size_t i = 0; i < count; ++i)
    out[i] = shaped(random::inverseNormal(u[i]), shape);
}

} // namespace heddle::rand
