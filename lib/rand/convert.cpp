// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normal numbers in float are most of what programs ask for, and the C library's logarithm, sine
// and cosine are calls for one number each. Here they are polynomials without branches, which the
// compiler makes vectors of, for the ranges that are wanted alone: logarithms of (0, 1], sines and
// cosines of one turn. The polynomials are those of Moshier's Cephes library (logf.c, sinf.c);
// their error is below two units in the last place. A number does not depend on its place in the
// array, as it would if a vector library made most of them and the C library the rest.
//
// Normal numbers that keep their words' order are of the inverse of the distribution's integral,
// whose middle part is a rational function for vectors and whose tails are made one by one.
#include "convert.h"

#include <heddle/random/inverse_normal.h>
#include <heddle/random/uniform.h>

#include <algorithm>
#include <bit>
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

HEDDLE_CLONES void toMiddle(const uint32_t *words, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = words[i] * 0x1p-32 + 0x1p-33;
}

HEDDLE_CLONES void toMiddle(const uint32_t *words, float *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = static_cast<float>(words[i] * 0x1p-32 + 0x1p-33);
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

/// The logarithm of a normal number that is not negative: of 2^e m with m from sqrt(1/2) to
/// sqrt(2).
inline float logarithm(float x) {
  constexpr uint32_t RootOfHalf = 0x3f3504f3;
  auto above = static_cast<int32_t>(std::bit_cast<uint32_t>(x) - RootOfHalf);
  auto e = static_cast<float>(above >> 23);
  float f = std::bit_cast<float>((static_cast<uint32_t>(above) & 0x7fffff) + RootOfHalf) - 1;
  float y = 7.0376836292e-2f;
  for (float c : {-1.1514610310e-1f, 1.1676998740e-1f, -1.2420140846e-1f, 1.4249322787e-1f,
                  -1.6668057665e-1f, 2.0000714765e-1f, -2.4999993993e-1f, 3.3333331174e-1f})
    y = y * f + c;
  y = y * f * f * f - 2.12194440e-4f * e - 0.5f * f * f; // ln 2 = 0.693359375 - 0.000212194440
  return f + y + 0.693359375f * e;
}

struct SineAndCosine {
  float sine, cosine;
};

/// Of angles from 0 to 2 pi: those of what is left of the nearest quarter turn, exchanged and
/// negated.
inline SineAndCosine sineAndCosine(float angle) {
  auto quarter = static_cast<int32_t>(angle * 0.636619772f + 0.5f);
  auto q = static_cast<float>(quarter);
  float r = ((angle - q * 1.5703125f) - q * 4.837512969970703125e-4f) - q * 7.549789948768648e-8f;
  float z = r * r;
  float s = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
  float c =
      ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z -
      0.5f * z + 1;
  bool exchanged = quarter & 1;
  float sine = exchanged ? c : s, cosine = exchanged ? s : c;
  return {quarter & 2 ? -sine : sine, (quarter + 1) & 2 ? -cosine : cosine};
}

} // namespace

HEDDLE_CLONES static void makeFloatPairs(const float *u, const float *angle, float *out,
                                         size_t pairs, float mean, float deviation) {
  constexpr float Turn = 6.283185307179586477f;
  for (size_t i = 0; i < pairs; ++i) {
    float distance = std::sqrt(-2 * logarithm(u[i]));
    SineAndCosine direction = sineAndCosine(Turn * angle[i]);
    out[2 * i] = mean + direction.sine * distance * deviation;
    out[2 * i + 1] = mean + direction.cosine * distance * deviation;
  }
}

void toNormalPairs(const float *u, const float *angle, float *out, size_t pairs,
                   const Shape &shape) {
  makeFloatPairs(u, angle, out, pairs, static_cast<float>(shape.mean),
                 static_cast<float>(shape.deviation));
  for (size_t i = 0; shape.exponential && i < 2 * pairs; ++i)
    out[i] = std::exp(out[i]);
}

void toNormalPairs(const double *u, const double *angle, double *out, size_t pairs,
                   const Shape &shape) {
  makePairs(u, angle, out, pairs, shape);
}

namespace {

constexpr size_t AtOnce = 256;

/// As if all numbers were in the middle.
HEDDLE_CLONES void middlesOf(const double *u, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = random::inverseNormalOfMiddle(u[i] - 0.5);
}

/// Up to AtOnce normal numbers: 85 of 100 are in the middle, which takes no logarithm and no
/// branch.
void inverseNormals(const double *u, double *out, size_t count) {
  middlesOf(u, out, count);
  for (size_t i = 0; i < count; ++i)
    if (std::abs(u[i] - 0.5) > random::NormalMiddle)
      out[i] = random::inverseNormal(u[i]);
}

/// The lower half of each word's mirror images: the probabilities that inverseNormalOf() takes.
HEDDLE_CLONES void lowerHalves(const uint32_t *words, double *out, size_t count) {
  for (size_t i = 0; i < count; ++i)
    out[i] = (words[i] ^ (0u - (words[i] >> 31))) * 0x1p-32 + 0x1p-33;
}

template <typename T> void shapeAll(T *values, size_t count, const Shape &shape) {
  for (size_t i = 0; i < count; ++i)
    values[i] = shaped(values[i], shape);
}

} // namespace

void toNormal(const uint32_t *words, float *out, size_t count, const Shape &shape) {
  double u[AtOnce], normal[AtOnce];
  for (size_t first = 0; first < count; first += AtOnce) {
    size_t n = std::min(AtOnce, count - first);
    lowerHalves(words + first, u, n);
    inverseNormals(u, normal, n);
    for (size_t i = 0; i < n; ++i)
      out[first + i] = static_cast<float>(words[first + i] >> 31 ? -normal[i] : normal[i]);
  }
  shapeAll(out, count, shape);
}

void toNormal(const double *u, double *out, size_t count, const Shape &shape) {
  double normal[AtOnce]; // `u` may be `out`
  for (size_t first = 0; first < count; first += AtOnce) {
    size_t n = std::min(AtOnce, count - first);
    inverseNormals(u + first, normal, n);
    std::copy_n(normal, n, out + first);
  }
  shapeAll(out, count, shape);
}

} // namespace heddle::rand
