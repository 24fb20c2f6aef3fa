// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lengths: sqrt and 1/sqrt of sums of squares, and the plain reciprocal roots. Floats are squared
// in double, which neither overflows nor rounds much. Doubles are scaled by a power of two, and
// where the bound is one ulp the sum is carried in two doubles.
#include "native.h"

using namespace heddle::devlib;

namespace {

/// 2^-k for the greatest of the magnitudes ~ 2^k: their squares then sum to between 1/4 and 4 n.
inline double scaleFor(double most) {
  int k = (int)(bits(most) >> 52) - 1023;
  k = k > 1000 ? 1000 : k < -1000 ? -1000 : k;
  return power2(-k);
}

inline void addSquare(Exact &sum, double x) {
  Exact square = twoProduct(x, x), s = twoSum(sum.high, square.high);
  sum = {s.high, sum.low + (s.low + square.low)};
}

/// Newton's step for 1 / sqrt(sum) and for sqrt(sum), with the residue taken in two doubles.
inline double inverseRoot(Exact sum) {
  double y = 1.0 / __builtin_sqrt(sum.high);
  Exact square = twoProduct(y, y);
  double residue = fma(-sum.high, square.high, 1.0) - sum.high * square.low - sum.low * square.high;
  return fma(0.5 * y, residue, y);
}
inline double root(Exact sum) {
  double r = __builtin_sqrt(sum.high);
  double residue = fma(-r, r, sum.high) + sum.low;
  return r + residue / (2 * r);
}

struct Scaled {
  Exact sum;
  double scale;
  bool infinite, zero;
};
inline Scaled squares(const double *x, int n) {
  double most = 0;
  bool infinite = false;
  for (int i = 0; i < n; i++) {
    double a = absolute(x[i]);
    most = a > most || isNan(a) ? a : most;
    infinite |= isInf(x[i]);
  }
  double scale = most < __builtin_inf() ? scaleFor(most) : 1.0;
  Exact sum = {0, 0};
  for (int i = 0; i < n; i++)
    addSquare(sum, x[i] * scale);
  return {sum, scale, infinite, most == 0};
}
inline double length(const Scaled &s) {
  return s.infinite ? __builtin_inf() : s.zero ? 0.0 : root(s.sum) / s.scale;
}
inline double inverseLength(const Scaled &s) {
  return s.infinite ? 0.0 : s.zero ? __builtin_inf() : inverseRoot(s.sum) * s.scale;
}

/// An infinite term makes the length infinite even beside a NaN; in double the sum shows it.
inline float lengthOf(double sum, bool infinite) {
  return infinite ? __builtin_inff() : (float)__builtin_sqrt(sum);
}
inline float inverseOf(double sum, bool infinite) {
  return infinite ? 0.0f : (float)(1.0 / __builtin_sqrt(sum));
}
inline double sq(float x) { return (double)x * x; }

} // namespace

HEDDLE_PURE float __nv_norm3df(float a, float b, float c) {
  return lengthOf(sq(a) + sq(b) + sq(c), isInf(a) || isInf(b) || isInf(c));
}
HEDDLE_PURE float __nv_norm4df(float a, float b, float c, float d) {
  return lengthOf(sq(a) + sq(b) + sq(c) + sq(d), isInf(a) || isInf(b) || isInf(c) || isInf(d));
}
HEDDLE_PURE float __nv_rhypotf(float a, float b) {
  return inverseOf(sq(a) + sq(b), isInf(a) || isInf(b));
}
HEDDLE_PURE float __nv_rnorm3df(float a, float b, float c) {
  return inverseOf(sq(a) + sq(b) + sq(c), isInf(a) || isInf(b) || isInf(c));
}
HEDDLE_PURE float __nv_rnorm4df(float a, float b, float c, float d) {
  return inverseOf(sq(a) + sq(b) + sq(c) + sq(d), isInf(a) || isInf(b) || isInf(c) || isInf(d));
}
HEDDLE_OUT float __nv_normf(int n, const float *x) {
  double sum = 0;
  bool infinite = false;
  for (int i = 0; i < n; i++)
    sum += sq(x[i]), infinite |= isInf(x[i]);
  return lengthOf(sum, infinite);
}
HEDDLE_OUT float __nv_rnormf(int n, const float *x) {
  double sum = 0;
  bool infinite = false;
  for (int i = 0; i < n; i++)
    sum += sq(x[i]), infinite |= isInf(x[i]);
  return inverseOf(sum, infinite);
}

HEDDLE_PURE double __nv_norm3d(double a, double b, double c) {
  double x[] = {a, b, c};
  return length(squares(x, 3));
}
HEDDLE_PURE double __nv_norm4d(double a, double b, double c, double d) {
  double x[] = {a, b, c, d};
  return length(squares(x, 4));
}
HEDDLE_PURE double __nv_rhypot(double a, double b) {
  double x[] = {a, b};
  return inverseLength(squares(x, 2));
}
HEDDLE_PURE double __nv_rnorm3d(double a, double b, double c) {
  double x[] = {a, b, c};
  return inverseLength(squares(x, 3));
}
HEDDLE_PURE double __nv_rnorm4d(double a, double b, double c, double d) {
  double x[] = {a, b, c, d};
  return inverseLength(squares(x, 4));
}
HEDDLE_OUT double __nv_norm(int n, const double *x) { return length(squares(x, n)); }
HEDDLE_OUT double __nv_rnorm(int n, const double *x) { return inverseLength(squares(x, n)); }

// Reciprocal roots

/// Newton's step from an estimate of 14 bits leaves 1.5 * 2^-28 and its own rounding. Where the
/// estimate is 0 or infinite, and right, the residue would be NaN, which must not stay.
HEDDLE_PURE float __nv_rsqrtf(float x) {
  if (!__heddle_has_estimates())
    return 1.0f / __builtin_sqrtf(x);
  float y = __heddle_rsqrt_estimate(x);
  float residue = fma(-(x * y), y, 1.0f); // at most 1
  return fma(0.5f * y, residue < 1.0f ? residue : 1.0f, y);
}
HEDDLE_PURE double __nv_rsqrt(double x) {
  double y = 1.0 / __builtin_sqrt(x);
  double better = fma(0.5 * y, fma(-x * y, y, 1.0), y);
  return x > 0 && x < __builtin_inf() ? better : y;
}
HEDDLE_PURE double __nv_rcbrt(double x) {
  double y = 1.0 / __nv_cbrt(x);
  Exact first = twoProduct(x, y), second = twoProduct(first.high, y);
  double residue = fma(-second.high, y, 1.0) - (second.low + first.low * y) * y;
  return x != 0 && absolute(x) < __builtin_inf() ? fma(y, residue * (1.0 / 3), y) : copySign(y, x);
}
/// The float root is good to 2^-23; one step in double squares that.
HEDDLE_PURE float __nv_rcbrtf(float x) {
  double y = 1.0 / (double)__nv_cbrtf(x), residue = fma(-(double)x * y * y, y, 1.0);
  return x != 0 && absolute(x) < __builtin_inff() ? (float)fma(y, residue * (1.0 / 3), y)
                                                  : copySign((float)y, x);
}

// Whole powers. With a constant exponent these fold into a few products.

HEDDLE_PURE float __nv_powif(float x, int n) {
  u32 left = n < 0 ? 0u - (u32)n : (u32)n;
  double result = 1, factor = x;
  for (; left; left >>= 1, factor *= factor)
    if (left & 1)
      result *= factor;
  return (float)(n < 0 ? 1 / result : result);
}
HEDDLE_PURE double __nv_powi(double x, int n) {
  int size = n < 0 ? -n : n;
  if (size < 0 || size > 4)
    return __nv_pow(x, (double)n);
  double square = x * x;
  double result = size == 0   ? 1.0
                  : size == 1 ? x
                  : size == 2 ? square
                  : size == 3 ? square * x
                              : square * square;
  return n < 0 ? 1 / result : result;
}
