// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponents, neighbours and exact remainders.
#include "devlib.h"

using namespace heddle::devlib;

// Powers of two

/// x * 2^n with one rounding: the steps before the last stay clear of the denormal range.
HEDDLE_PURE double __nv_ldexp(double x, int n) {
  n = n > 3000 ? 3000 : n < -3000 ? -3000 : n;
  for (int i = 0; i < 2; i++) {
    bool high = n > 1023, low = n < -1022;
    x *= high ? 0x1p1023 : low ? 0x1p-969 : 1.0;
    n -= high ? 1023 : low ? -969 : 0;
  }
  n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
  return x * power2(n);
}
HEDDLE_PURE float __nv_ldexpf(float x, int n) {
  n = n > 400 ? 400 : n < -400 ? -400 : n;
  return (float)((double)x * power2(n));
}
HEDDLE_PURE double __nv_scalbn(double x, int n) { return __nv_ldexp(x, n); }
HEDDLE_PURE float __nv_scalbnf(float x, int n) { return __nv_ldexpf(x, n); }

namespace {
/// The exponent of a finite number other than zero.
inline int exponent(double x) {
  double a = absolute(x);
  bool tiny = a < 0x1p-1022;
  return (int)(bits(tiny ? a * 0x1p54 : a) >> 52) - 1023 - (tiny ? 54 : 0);
}
inline bool plain(double x) { return x != 0 && absolute(x) < __builtin_inf(); }
} // namespace

HEDDLE_OUT double __nv_frexp(double x, int *n) {
  if (!plain(x)) {
    *n = 0;
    return x + x; // quiets a NaN
  }
  int e = exponent(x) + 1;
  *n = e;
  // In two steps near the ends, where 2^-e is no double.
  double step = e < -900 ? 0x1p100 : e > 900 ? 0x1p-100 : 1.0;
  return x * step * power2(e < -900 ? -e - 100 : e > 900 ? 100 - e : -e);
}
HEDDLE_OUT float __nv_frexpf(float x, int *n) {
  if (!plain(x)) {
    *n = 0;
    return x + x;
  }
  int e = exponent(x) + 1;
  *n = e;
  return (float)((double)x * power2(-e));
}
HEDDLE_PURE double __nv_logb(double x) {
  return x == 0 ? -__builtin_inf() : plain(x) ? (double)exponent(x) : x * x;
}
HEDDLE_PURE float __nv_logbf(float x) { return (float)__nv_logb(x); }
HEDDLE_PURE int __nv_ilogb(double x) {
  return plain(x) ? exponent(x) : isInf(x) ? 0x7fffffff : (int)0x80000000u;
}
HEDDLE_PURE int __nv_ilogbf(float x) { return __nv_ilogb(x); }

// Neighbours

namespace {
template <class T> inline T stepToward(T x, T y) {
  if (isNan(x) || isNan(y))
    return x + y;
  return x == y ? y : x < y ? nextUp(x) : nextDown(x);
}
} // namespace
HEDDLE_PURE double __nv_nextafter(double x, double y) { return stepToward(x, y); }
HEDDLE_PURE float __nv_nextafterf(float x, float y) { return stepToward(x, y); }

// Remainders

namespace {
/// x - y * trunc(x / y) for finite x and y > 0, x >= 0. Each round takes 52 bits off the quotient;
/// fma makes it exact, since what is left is a multiple of the last bit of y and smaller than what
/// a double of that last bit holds. The partial remainder may be negative, within one y.
inline double remainderOf(double x, double y) {
  while (absolute(x) >= y) {
    // A quotient that would overflow is taken in multiples of 2^1000 y or 2^1100 y.
    double far = y * 0x1p1000, step = absolute(x) < far              ? y
                                      : absolute(x / far) < 0x1p1000 ? far
                                                                     : far * 0x1p100;
    double q = x / step;
    x = fma(-(absolute(q) < 0x1p52 ? __builtin_trunc(q) : q), step, x);
  }
  return x < 0 ? x + y : x;
}
inline bool noRemainder(double x, double y) {
  return y == 0 || isNan(y) || !(absolute(x) < __builtin_inf());
}
/// The quotient's last three bits come with the remainder to nearest. 8 |y| must be finite. Each
/// subtraction is exact: what is taken off lies between half of the remainder and all of it.
inline double nearestRemainder(double x, double y, int *quotient) {
  double ay = absolute(y), r = remainderOf(absolute(x), 8 * ay);
  int q = 0;
  for (int multiple = 4; multiple; multiple >>= 1)
    if (r >= multiple * ay) {
      r -= multiple * ay;
      q += multiple;
    }
  // r > ay / 2, without losing the last bit of ay.
  if (r > ay - r || (r == ay - r && (q & 1))) {
    r -= ay;
    q += 1;
  }
  q &= 7;
  *quotient = signBit(x) != signBit(y) ? -q : q;
  r = r == 0 ? 0.0 : r;
  return signBit(x) ? -r : r;
}
/// Finite x; y neither zero nor NaN. A huge y is scaled down, with x unless that is less than a
/// quarter of y.
inline double remainderAny(double x, double y, int *quotient) {
  *quotient = 0;
  if (isInf(y) || (absolute(y) >= 0x1p1019 && absolute(x) < 0.25 * absolute(y)))
    return x;
  if (absolute(y) >= 0x1p1019)
    return nearestRemainder(x * 0x1p-10, y * 0x1p-10, quotient) * 0x1p10;
  return nearestRemainder(x, y, quotient);
}
} // namespace

HEDDLE_PURE double __nv_fmod(double x, double y) {
  if (noRemainder(x, y))
    return __builtin_nan("");
  return isInf(y) ? x : copySign(remainderOf(absolute(x), absolute(y)), x);
}
HEDDLE_PURE float __nv_fmodf(float x, float y) { return (float)__nv_fmod(x, y); }

HEDDLE_OUT double __nv_remquo(double x, double y, int *quotient) {
  *quotient = 0;
  if (noRemainder(x, y))
    return __builtin_nan("");
  return remainderAny(x, y, quotient);
}
HEDDLE_OUT float __nv_remquof(float x, float y, int *quotient) {
  return (float)__nv_remquo(x, y, quotient);
}
HEDDLE_PURE double __nv_remainder(double x, double y) {
  int ignored;
  if (noRemainder(x, y))
    return __builtin_nan("");
  return remainderAny(x, y, &ignored);
}
HEDDLE_PURE float __nv_remainderf(float x, float y) { return (float)__nv_remainder(x, y); }
