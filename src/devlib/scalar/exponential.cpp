// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What SLEEF does for vectors (simt/math.def), as scalar code, for PTX text (jit/load/ptx.cpp), which
// has no SLEEF: exponentials, logarithms, powers, and what is made of them. Power series, of which
// the first terms are pairs of doubles where a result needs more than 53 bits.
#include "pairs.h"

using namespace heddle::devlib;

namespace {

// 1 / 2!, 1 / 3!, ... : (exp(r) - 1 - r) / r^2.
constexpr double InverseFactorials[] = {
    1.0 / 2,         1.0 / 6,          1.0 / 24,         1.0 / 120,     1.0 / 720,
    1.0 / 5040,      1.0 / 40320,      1.0 / 362880,     1.0 / 3628800, 1.0 / 39916800,
    1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
// atanh(f) / f = 1 + f^2 / 3 + f^4 (1 / 5 + ...).
constexpr double OddInverses[] = {1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11, 1.0 / 13, 1.0 / 15,
                                  1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23, 1.0 / 25};
constexpr Exact Third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};

/// x * 2^n, for n where the result may be denormal or infinite.
double scale(double x, int n) {
  int half = n / 2;
  int quarter = half / 2;
  return x * power2(quarter) * power2(half - quarter) * power2(n - half);
}

/// x = n log 2 + r, |r| < 0.35.
struct Reduced {
  int n;
  Exact r;
};
Reduced reduce(Exact x) {
  double n = __builtin_rint(x.high * PerLog2.high);
  Exact whole = multiply(Log2, {n, 0});
  return {n == n ? (int)n : 0, add(x, negate(whole))}; // of a NaN, r is one
}

/// exp(r) - 1.
Exact fractionOf(Exact r) {
  double square = r.high * r.high;
  return fastSum(r.high, fma(square, polynomial(r.high, InverseFactorials), r.low * (1 + r.high)));
}

/// 2 atanh(f): log((1 + f) / (1 - f)), |f| < 0.2.
Exact twiceArea(Exact f) {
  Exact square = multiply(f, f), third = multiply(multiply(square, f), Third);
  double rest = square.high * square.high * f.high * polynomial(square.high, OddInverses);
  Exact sum = add(f, add(third, {rest, 0}));
  return {2 * sum.high, 2 * sum.low};
}

/// The exponent and mantissa of x > 0, the latter in [sqrt(1/2), sqrt(2)).
struct Split {
  double mantissa;
  int exponent;
};
Split split(double x) {
  int below = 0;
  if (x < 0x1p-1022)
    x *= 0x1p54, below = 54;
  u64 from = bits(0.70710678118654752);
  int exponent = (int)((i64)(bits(x) - from) >> 52);
  return {fromBits(bits(x) - ((u64)(i64)exponent << 52)), exponent - below};
}

bool isOrdinary(double x) { return x > 0 && x < __builtin_inf(); }
/// The logarithm of what is not.
double logOfOther(double x) { return x == 0 ? -__builtin_inf() : x > 0 ? x : __builtin_nan(""); }

/// log(x) of x > 0 as a multiple `unit` of itself, with the whole part apart.
Exact logIn(double x, Exact unit, Exact ofTwo) {
  Split parts = split(x);
  Exact f = divide(twoSum(parts.mantissa, -1), twoSum(parts.mantissa, 1));
  return add(multiply({(double)parts.exponent, 0}, ofTwo), multiply(twiceArea(f), unit));
}

} // namespace

namespace heddle::devlib {

double expOf(Exact x) {
  if (!(absolute(x.high) < 800))
    return x.high > 0 ? __builtin_inf() : x.high < 0 ? 0 : x.high;
  Reduced reduced = reduce(x);
  Exact fraction = fractionOf(reduced.r);
  Exact whole = fastSum(1, fraction.high);
  return scale(whole.high + (whole.low + fraction.low), reduced.n);
}

Exact logOf(double x, double low) {
  Split parts = split(x);
  double tail = scale(low, -parts.exponent);
  Exact below = twoSum(parts.mantissa, -1), above = twoSum(parts.mantissa, 1);
  below.low += tail, above.low += tail;
  return add(multiply({(double)parts.exponent, 0}, Log2), twiceArea(divide(below, above)));
}

} // namespace heddle::devlib

HEDDLE_PURE double __nv_exp(double x) { return expOf({x, 0}); }
HEDDLE_PURE double __nv_exp2(double x) {
  return absolute(x) < 1100 ? expOf(multiply(Log2, {x, 0})) : expOf({x, 0});
}
HEDDLE_PURE double __nv_exp10(double x) {
  return absolute(x) < 400 ? expOf(multiply(Log10, {x, 0})) : expOf({x * 2, 0});
}
HEDDLE_PURE double __nv_expm1(double x) {
  if (!(absolute(x) < 709.78271289338397)) // where the result is infinite
    return x < 0 ? -1 : x > 0 ? __builtin_inf() : x;
  if (absolute(x) < 0x1p-30)
    return fma(0.5 * x, x, x);
  Reduced reduced = reduce({x, 0});
  Exact fraction = fractionOf(reduced.r);
  if (reduced.n == 0)
    return rounded(fraction);
  double half = power2(reduced.n - 1); // 2^n may be infinite where the result is not
  Exact whole = twoSum(half, -0.5);
  Exact sum = twoSum(whole.high, half * fraction.high);
  return 2 * (sum.high + (sum.low + whole.low + half * fraction.low));
}
HEDDLE_PURE double __nv_log(double x) {
  return isOrdinary(x) ? rounded(logOf(x, 0)) : logOfOther(x);
}
HEDDLE_PURE double __nv_log2(double x) {
  return isOrdinary(x) ? rounded(logIn(x, PerLog2, {1, 0})) : logOfOther(x);
}
HEDDLE_PURE double __nv_log10(double x) {
  return isOrdinary(x) ? rounded(logIn(x, PerLog10, multiply(PerLog10, Log2))) : logOfOther(x);
}
HEDDLE_PURE double __heddle_log1p(double x) {
  if (x > -0.3 && x < 0.4) // an exact 0 at 0
    return x == 0 ? x : rounded(twiceArea(divide({x, 0}, twoSum(2, x))));
  Exact sum = twoSum(1, x);
  return isOrdinary(sum.high) ? rounded(logOf(sum.high, sum.low)) : logOfOther(sum.high);
}

HEDDLE_PURE double __heddle_sinh(double x) {
  double e = __nv_expm1(absolute(x));
  return copySign(e == __builtin_inf() ? e : 0.5 * (e + e / (e + 1)), x);
}
HEDDLE_PURE double __heddle_cosh(double x) {
  double e = __nv_exp(absolute(x));
  return fma(0.5, e, 0.5 / e);
}
HEDDLE_PURE double __nv_tanh(double x) {
  double a = absolute(x);
  if (a > 20)
    return copySign(1.0, x);
  if (a < 0x1p-28)
    return x;
  Reduced reduced = reduce({2 * a, 0});
  Exact fraction = fractionOf(reduced.r);
  double two = power2(reduced.n);
  Exact e = add({two - 1, 0}, {two * fraction.high, two * fraction.low});
  return copySign(rounded(divide(e, add(e, {2, 0}))), x);
}
HEDDLE_PURE double __heddle_asinh(double x) {
  double a = absolute(x), square = a * a;
  return copySign(__nv_log1p(a + square / (1 + __builtin_sqrt(1 + square))), x);
}
HEDDLE_PURE double __heddle_acosh(double x) {
  double t = x - 1;
  return t < 0 ? __builtin_nan("") : __nv_log1p(t + __builtin_sqrt(fma(t, t, 2 * t)));
}
HEDDLE_PURE double __nv_atanh(double x) {
  double a = absolute(x);
  return copySign(a < 0x1p-28 ? a : 0.5 * __nv_log1p(2 * a / (1 - a)), x);
}

// Of exponents without an integer part a negative base has no power.
HEDDLE_PURE double __heddle_pow(double x, double y) {
  if (y == 0 || x == 1)
    return 1;
  if (isNan(x) || isNan(y))
    return x + y;
  double a = absolute(x);
  if (isInf(y))
    return a == 1 ? 1 : (a > 1) == (y > 0) ? __builtin_inf() : 0;
  bool isWhole = __builtin_trunc(y) == y;
  if (x < 0 && !isWhole && !isInf(x))
    return __builtin_nan("");
  bool isOdd = isWhole && __builtin_trunc(0.5 * y) != 0.5 * y;
  double value = 0;
  if (a == 0 || isInf(a))
    value = (a == 0) == (y > 0) ? 0 : __builtin_inf();
  else if (absolute(y) > 0x1p70) // no log of a number is so small
    value = a == 1 ? 1 : (a > 1) == (y > 0) ? __builtin_inf() : 0;
  else
    value = expOf(multiply(logOf(a, 0), {y, 0}));
  return signBit(x) && isOdd ? -value : value;
}

// Newton's method for y^-2/3 would divide; Halley's triples the digits of a guess by the exponent.
HEDDLE_PURE double __nv_cbrt(double x) {
  double a = absolute(x);
  if (!(a > 0 && a < __builtin_inf()))
    return x;
  double down = 1;
  if (a < 0x1p-900)
    a *= 0x1p300, down = 0x1p-100;
  else if (a > 0x1p900)
    a *= 0x1p-300, down = 0x1p100;
  double y = fromBits(bits(a) / 3 + 0x2a9f7893782da1ceull);
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    double cube = y * y * y;
    y = y * ((cube + 2 * a) / (2 * cube + a));
  }
  Exact cube = multiply(twoProduct(y, y), {y, 0});
  y -= (cube.high - a + cube.low) / (3 * y * y);
  return copySign(y * down, x);
}

HEDDLE_PURE double __nv_hypot(double x, double y) {
  double a = absolute(x), b = absolute(y);
  if (isInf(a) || isInf(b))
    return __builtin_inf();
  if (isNan(a) || isNan(b))
    return a + b;
  double large = a > b ? a : b, small = a > b ? b : a;
  if (small == 0)
    return large;
  double up = large > 0x1p500 ? 0x1p-600 : large < 0x1p-500 ? 0x1p600 : 1;
  large *= up, small *= up;
  double root = __builtin_sqrt(fma(large, large, small * small));
  Exact square = twoProduct(root, root), first = twoProduct(large, large);
  double rest = square.high - first.high - small * small + (square.low - first.low);
  return (root - 0.5 * rest / root) / up;
}
HEDDLE_PURE float __nv_hypotf(float x, float y) {
  if (isInf(x) || isInf(y))
    return __builtin_inff();
  return (float)__builtin_sqrt((double)x * x + (double)y * y);
}
