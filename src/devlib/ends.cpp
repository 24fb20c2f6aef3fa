// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that SLEEF has, but not to the ends of their range: here the library takes over at the
// ends and calls SLEEF (by the name __heddle_..., see src/simt/math.def) for the rest.
#include "devlib.h"

using namespace heddle::devlib;

#define HEDDLE_INNER(name)                                                                         \
  HEDDLE_PURE double __heddle_##name(double);                                                      \
  HEDDLE_PURE float __heddle_##name##f(float);
HEDDLE_INNER(tgamma)
HEDDLE_INNER(sinpi)
HEDDLE_INNER(cospi)
HEDDLE_PURE double __heddle_sinh(double);
HEDDLE_PURE double __heddle_cosh(double);
HEDDLE_PURE double __heddle_asinh(double);
HEDDLE_PURE double __heddle_acosh(double);
HEDDLE_PURE double __heddle_log1p(double);
HEDDLE_PURE double __heddle_pow(double, double);
HEDDLE_PURE double __heddle_atan2(double, double);

// sinh and cosh are infinite in SLEEF where exp is, though they are half of it. Past that point
// exp(x) / 2 = 2 exp(x - 2 log 2), with log 2 in two parts of which the first subtracts exactly.

HEDDLE_PURE double __nv_sinh(double x) {
  double a = absolute(x);
  if (!(a > 700 && a < 711)) // from there on e is infinite
    return __heddle_sinh(x);
  double e = __nv_exp(a - 1.3862915039062500);
  return copySign(fma(e, -2.857209558787828e-6, e) * 2, x);
}
HEDDLE_PURE double __nv_cosh(double x) {
  double a = absolute(x);
  return a > 700 && a < 720 ? absolute(__nv_sinh(a)) : __heddle_cosh(x);
}

// Their inverses square the argument. Past 2^30 they are log(2 x).

HEDDLE_PURE double __nv_asinh(double x) {
  double a = absolute(x);
  return a > 0x1p30 ? copySign(__nv_log(a) + 0.69314718055994531, x) : __heddle_asinh(x);
}
HEDDLE_PURE double __nv_acosh(double x) {
  return x > 0x1p30 ? __nv_log(x) + 0.69314718055994531 : __heddle_acosh(x);
}
HEDDLE_PURE double __nv_log1p(double x) { return x > 0x1p100 ? __nv_log(x) : __heddle_log1p(x); }

// SLEEF's gamma function loses what lies near the smallest numbers. There the argument goes nearer
// to 0, which is exact: gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)).

HEDDLE_PURE double __nv_tgamma(double x) {
  if (x > -186 && x < -168) { // from there on it is 0
    double product = 1;
    for (int i = 0; i < 18; ++i)
      product *= x + i;
    return __heddle_tgamma(x + 18) / product;
  }
  return x == 0 ? copySign(__builtin_inf(), x) : __heddle_tgamma(x);
}
HEDDLE_PURE float __nv_tgammaf(float x) {
  if (x > -48 && x < -32)
    return (float)__heddle_tgamma((double)x);
  return x == 0 ? copySign(__builtin_inff(), x) : __heddle_tgammaf(x);
}

// Whole turns come off exactly first.

HEDDLE_PURE double __nv_sinpi(double x) {
  double value = __heddle_sinpi(x - 2 * __builtin_rint(0.5 * x));
  return value == 0 ? copySign(0.0, x) : value;
}
HEDDLE_PURE float __nv_sinpif(float x) {
  float value = __heddle_sinpif(x - 2 * __builtin_rintf(0.5f * x));
  return value == 0 ? copySign(0.0f, x) : value;
}
HEDDLE_PURE double __nv_cospi(double x) { return __heddle_cospi(x - 2 * __builtin_rint(0.5 * x)); }
HEDDLE_PURE float __nv_cospif(float x) {
  return __heddle_cospif(x - 2 * __builtin_rintf(0.5f * x));
}

// The sign is y's, also of zeros; a zero y asks for the sign of x.
HEDDLE_PURE double __nv_atan2(double y, double x) {
  double value = y == 0 && x == 0 ? (signBit(x) ? 3.1415926535897931 : 0.0) : __heddle_atan2(y, x);
  return copySign(value, y);
}

namespace {
inline bool isOdd(double y) {
  double half = 0.5 * y;
  return __builtin_trunc(y) == y && __builtin_trunc(half) != half;
}
/// 0 to a power other than 0.
inline double powerOfZero(double x, double y) {
  double value = y < 0 ? __builtin_inf() : 0.0;
  return isOdd(y) ? copySign(value, x) : value;
}
} // namespace

/// A result just below the largest number overflows in SLEEF; it is then the square of the root's
/// power. The largest number's root is rounded up.
HEDDLE_PURE double __nv_pow(double x, double y) {
  double value = __heddle_pow(x, y);
  if (x == 0 && y != 0 && !isNan(y))
    value = powerOfZero(x, y);
  else if (isInf(value) && !isInf(x) && !isInf(y)) {
    double root = __heddle_pow(absolute(x), 0.5 * y);
    value = y == 1 ? x : copySign(root * root, value);
  }
  return value;
}
