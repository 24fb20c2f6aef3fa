// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arc functions of floats, for kernels to inline and widen, without branches. What is added to a
// polynomial, and its sign, are chosen by masks, not by selections (float_parts.h).
//
// Arc tangents: the polynomial is one of t, the smaller of |y| and |x| by the larger.
//
// Arc sines: of t = |x| up to 1/2, and beyond of t = sqrt((1 - |x|) / 2), where asin(|x|) is
// pi / 2 - 2 asin(t). The smaller of both is the one to take.
#include "float_coefficients.h"
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

constexpr float HalfPi = 1.57079633f, Pi = 3.14159265f;

/// atan(t), t in [0, 1].
inline float atanOf(float t) {
  float z = t * t;
  return fma(t * z, polynomial(z, AtanTail), t);
}

inline u32 maskOf(bool condition) { return condition ? ~0u : 0u; }

/// angle where `beyond` is not set, and whole - angle where it is.
inline float from(float angle, float whole, u32 beyond) {
  return fromBits(beyond & bits(whole)) + fromBits(bits(angle) ^ (beyond & 0x80000000));
}

} // namespace

/// What HalfPi lacks is added to the terms.
HEDDLE_PURE float __nv_atanf(float x) {
  float a = absolute(x);
  float t = atMost(a, 1.0f) / atLeast(a, 1.0f), z = t * t;
  u32 beyond = maskOf(a > 1.0f);
  float lack = fromBits(beyond & bits(0x1.777a5cp-25f));
  float angle = t + fma(t * z, polynomial(z, AtanTail), lack);
  return withSign(from(angle, HalfPi, beyond), x);
}

HEDDLE_PURE float __nv_atan2f(float y, float x) {
  float high = absolute(y), wide = absolute(x);
  float least = high < wide ? high : wide, most = high < wide ? wide : high;
  // Zero by zero is zero here, infinity by infinity one.
  float t = least / (most + fromBits(maskOf(most == 0) & bits(1.0f)));
  t = least == __builtin_inff() ? 1.0f : t;
  float angle = from(atanOf(t), HalfPi, maskOf(high > wide));
  angle = from(angle, Pi, (u32)((i32)bits(x) >> 31));
  u32 none = maskOf(__builtin_isunordered(x, y)) & 0x7fc00000;
  return withSign(fromBits(bits(angle) | none), y);
}

namespace {

struct ArcSine {
  float angle; ///< asin(|x|), or pi / 2 - asin(|x|)
  u32 beyond;  ///< all bits set where it is the latter
};

/// NaN where |x| is more than 1.
inline ArcSine arcSineOf(float x) {
  float a = absolute(x), half = fma(a, -0.5f, 0.5f), root = __builtin_sqrtf(half);
  float t = a < root ? a : root, z = a * a < half ? a * a : half;
  float angle = fma(t * z, polynomial(z, AsinTail), t);
  u32 beyond = maskOf(a > 0.5f);
  return {angle + fromBits(beyond & bits(angle)), beyond};
}

} // namespace

HEDDLE_PURE float __nv_asinf(float x) {
  auto [angle, beyond] = arcSineOf(x);
  float excess = fromBits(beyond & bits(4.37113883e-8f)); // of HalfPi over pi / 2
  return withSign(from(angle, HalfPi, beyond) - excess, x);
}

HEDDLE_PURE float __nv_acosf(float x) {
  auto [angle, beyond] = arcSineOf(x);
  u32 negative = (u32)((i32)bits(x) >> 31);
  float whole = fromBits((~beyond & bits(HalfPi)) | (beyond & negative & bits(Pi)));
  return whole + fromBits(bits(angle) ^ ((~beyond ^ negative) & 0x80000000));
}
