// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sine, cosine, tangent and their inverses for PTX text (exponential.cpp says more).
#include "pairs.h"

using namespace heddle::devlib;

namespace {

// sin(r) = r + r^3 (-1 / 3! + r^2 / 5! - ...), cos(r) = 1 - r^2 / 2 + r^4 (1 / 4! - ...).
constexpr double SineTerms[] = {
    -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
    -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
constexpr double CosineTerms[] = {
    1.0 / 24,        -1.0 / 720,         1.0 / 40320,         -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000};
/// The first 1280 bits of 2 / pi behind the point.
constexpr u64 TwoPerPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

/// An angle as a quarter turn's number, of which the lowest two bits count, and a rest.
struct Angle {
  int quarters;
  Exact rest; ///< |rest| <= pi / 4, or a little more
};

double sine(Exact r) {
  double square = r.high * r.high;
  double tail = fma(-0.5 * square, r.low, r.low); // r.low cos(r)
  return r.high + fma(square * r.high, polynomial(square, SineTerms), tail);
}
double cosine(Exact r) {
  double square = r.high * r.high;
  Exact half = twoProduct(0.5 * r.high, r.high);
  Exact start = twoSum(1, -half.high);
  double rest = fma(square * square, polynomial(square, CosineTerms), -r.high * r.low);
  return start.high + (start.low - half.low + rest);
}

/// The 64 bits of 2 / pi that begin at bit `at`; there are zeros in front.
u64 bitsAt(int at) {
  if (at < 0)
    return at <= -64 ? 0 : TwoPerPi[0] >> -at;
  int word = at / 64, shift = at % 64;
  return shift ? TwoPerPi[word] << shift | TwoPerPi[word + 1] >> (64 - shift) : TwoPerPi[word];
}

/// Payne and Hanek's method, for |x| >= 2^20: of the product with 2 / pi only those bits are made
/// that are neither multiples of four nor too small.
Angle reduceLarge(double x) {
  int exponent = (int)(bits(x) >> 52 & 2047) - 1075; // x = mantissa 2^exponent
  u64 mantissa = (bits(x) & 0xfffffffffffffull) | 1ull << 52;
  int at = exponent - 2; // bits in front of it make multiples of four
  using u128 = unsigned __int128;
  // mantissa * 192 bits of 2 / pi, modulo 2^192: its value is a multiple of 2^-190 in turns / 4.
  u64 w0 = bitsAt(at), w1 = bitsAt(at + 64), w2 = bitsAt(at + 128);
  u128 low = (u128)mantissa * w2, middle = (u128)mantissa * w1 + (u64)(low >> 64);
  u64 high = mantissa * w0 + (u64)(middle >> 64);
  u64 second = (u64)middle, third = (u64)low;
  int quarters = (int)(high >> 62);
  u64 first = high << 2 | second >> 62; // the fraction of a quarter turn
  second = second << 2 | third >> 62;
  bool isAbove = first >> 63;
  if (isAbove) { // nearer to the next
    ++quarters;
    first = ~first, second = ~second;
  }
  Exact fraction = fastSum((double)(first >> 11) * 0x1p-53,
                           (double)((first & 2047) << 53 | second >> 11) * 0x1p-117);
  Exact rest = multiply(fraction, HalfPi);
  bool isNegative = signBit(x);
  return {isNegative ? -quarters : quarters, isNegative != isAbove ? negate(rest) : rest};
}

Angle reduce(double x) {
  if (absolute(x) >= 0x1p20)
    return reduceLarge(x);
  constexpr double Third = -0x1.f1976b7ed8fbcp-110; // of pi / 2
  double n = __builtin_rint(x * 0.63661977236758134);
  Exact first = twoProduct(n, HalfPi.high), second = twoProduct(n, HalfPi.low);
  Exact rest = twoSum(x - first.high, -first.low);
  rest = add(rest, negate(second));
  return {(int)n, {rest.high, fma(-n, Third, rest.low)}};
}

double sineOf(Angle angle) {
  double value = angle.quarters & 1 ? cosine(angle.rest) : sine(angle.rest);
  return angle.quarters & 2 ? -value : value;
}

/// Of an angle in half turns, at most 1.
Angle ofHalfTurns(double x) {
  double n = __builtin_rint(2 * x);
  return {(int)n, multiply(Pi, {x - 0.5 * n, 0})};
}

// atan(t) = t + t^3 (-1 / 3 + t^2 / 5 - ...) for |t| <= 1 / 4.
constexpr double ArcTerms[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7,  1.0 / 9,  -1.0 / 11, 1.0 / 13,
                               -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21, -1.0 / 23, 1.0 / 25};
/// atan(k / 4).
constexpr Exact ArcOfQuarters[] = {{0, 0},
                                   {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                   {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                   {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                   {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

/// atan(t) for 0 <= t <= 1: atan(k / 4) + atan((t - k / 4) / (1 + t k / 4)).
Exact arc(Exact t) {
  int k = (int)__builtin_rint(4 * t.high);
  double place = 0.25 * k;
  Exact turned = divide(add(t, {-place, 0}), add({1, 0}, multiply(t, {place, 0})));
  Exact rest = k == 0 ? t : turned;
  double square = rest.high * rest.high;
  double sum = fma(square * rest.high, polynomial(square, ArcTerms), rest.low);
  return add(ArcOfQuarters[k], fastSum(rest.high, sum));
}

/// The angle of a point with y, x >= 0, not both 0 nor infinite.
Exact angleOf(Exact y, Exact x) {
  bool isSteep = y.high > x.high;
  if (isSteep) {
    Exact z = x;
    x = y, y = z;
  }
  double quotient = y.high / x.high;
  Exact angle = quotient < 0x1p-500 ? Exact{quotient, 0} : arc(divide(y, x));
  return isSteep ? add(HalfPi, negate(angle)) : angle;
}
Exact angleOf(double y, double x) {
  double large = y > x ? y : x;
  double up = large > 0x1p900 ? 0x1p-200 : large < 0x1p-700 ? 0x1p300 : 1;
  return angleOf(Exact{y * up, 0}, Exact{x * up, 0});
}

/// sqrt(1 - x^2) or the like as a pair: the root of a pair.
Exact rootOf(Exact x) {
  double root = __builtin_sqrt(x.high);
  if (root == 0)
    return {0, 0};
  Exact square = twoProduct(root, root);
  return fastSum(root, (x.high - square.high - square.low + x.low) / (2 * root));
}

bool isFinite(double x) { return absolute(x) < __builtin_inf(); }

double cosineOf(Angle angle) {
  ++angle.quarters;
  return sineOf(angle);
}

} // namespace

// For ../gpu/elementary_double.cpp: of |x| >= 2^20, and of what is not finite.
HEDDLE_PURE double __heddle_large_sine(double x) {
  return isFinite(x) ? sineOf(reduceLarge(x)) : __builtin_nan("");
}
HEDDLE_PURE double __heddle_large_cosine(double x) {
  return isFinite(x) ? cosineOf(reduceLarge(x)) : __builtin_nan("");
}

HEDDLE_PURE double __nv_sin(double x) {
  if (!isFinite(x))
    return __builtin_nan("");
  return x == 0 ? x : sineOf(reduce(x));
}
HEDDLE_PURE double __nv_cos(double x) {
  return isFinite(x) ? cosineOf(reduce(x)) : __builtin_nan("");
}
HEDDLE_PURE double __nv_tan(double x) {
  if (!isFinite(x))
    return __builtin_nan("");
  if (x == 0)
    return x;
  Angle angle = reduce(x);
  double s = sine(angle.rest), c = cosine(angle.rest);
  return angle.quarters & 1 ? -c / s : s / c;
}
HEDDLE_PURE float __nv_sinf(float x) { return (float)__nv_sin(x); }
HEDDLE_PURE float __nv_cosf(float x) { return (float)__nv_cos(x); }
HEDDLE_PURE float __nv_tanf(float x) { return (float)__nv_tan(x); }

// Whole turns are off (ends.cpp).
HEDDLE_PURE double __heddle_sinpi(double x) {
  return isFinite(x) ? sineOf(ofHalfTurns(x)) : __builtin_nan("");
}
HEDDLE_PURE double __heddle_cospi(double x) {
  return isFinite(x) ? cosineOf(ofHalfTurns(x)) + 0.0 : __builtin_nan(""); // no zero is negative
}
HEDDLE_PURE float __heddle_sinpif(float x) { return (float)__heddle_sinpi(x); }
HEDDLE_PURE float __heddle_cospif(float x) { return (float)__heddle_cospi(x); }

HEDDLE_PURE double __nv_atan(double x) {
  double a = absolute(x);
  if (isNan(x) || a < 0x1p-27)
    return x;
  return copySign(a < 0x1p60 ? rounded(angleOf(a, 1)) : HalfPi.high, x);
}
HEDDLE_PURE double __heddle_atan2(double y, double x) {
  if (isNan(x) || isNan(y))
    return x + y;
  double b = absolute(y), a = absolute(x);
  if (isInf(a) && isInf(b))
    a = b = 1;
  else if (isInf(a) || b == 0)
    a = 1, b = 0;
  else if (isInf(b) || a == 0)
    a = 0, b = 1;
  Exact angle = angleOf(b, a);
  return copySign(rounded(signBit(x) ? add(Pi, negate(angle)) : angle), y);
}
HEDDLE_PURE double __nv_asin(double x) {
  double a = absolute(x);
  if (!(a <= 1))
    return __builtin_nan("");
  if (a < 0x1p-27)
    return x;
  return copySign(rounded(angleOf({a, 0}, rootOf(multiply(twoSum(1, -a), twoSum(1, a))))), x);
}
HEDDLE_PURE double __nv_acos(double x) {
  if (!(absolute(x) <= 1))
    return __builtin_nan("");
  Exact half = angleOf(rootOf(twoSum(1, -x)), rootOf(twoSum(1, x)));
  return 2 * rounded(half);
}
