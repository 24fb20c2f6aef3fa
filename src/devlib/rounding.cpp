// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic in the four rounding modes: __fadd_rz, __dmul_ru, __fma_rd, ... Exact, see directed.h.
//
// Floats are easy: a double holds the product of two exactly, and with 2Sum the sum of such a
// product and a float. Doubles need care at the ends of their range; the comments give the bounds.
#include "directed.h"

using namespace heddle::devlib;

namespace {

/// IEEE 754, 6.3: a sum of exactly zero is -0 when rounding down unless both terms are +0.
template <class T> inline T zeroDown(double a, double b) {
  return signBit(a) || signBit(b) ? (T)-0.0 : (T)0.0;
}

template <class T> inline T sumDown(double a, double b, Nearest<T> n) {
  return n.value == 0 && n.loss == 0 ? zeroDown<T>(a, b) : downward(n);
}

// float

inline Nearest<float> addFloat(double a, double b) { return nearest<float>(twoSum(a, b)); }
inline Nearest<float> mulFloat(float a, float b) { return nearest<float>({(double)a * b, 0}); }

/// The sign of a - q * b, of which a division is the limit; both fit a double's range by far.
inline Nearest<float> divFloat(float a, float b) {
  double q = (double)a / b, left = fma(-q, (double)b, (double)a);
  return nearest<float>({q, signBit(b) ? -left : left});
}
inline Nearest<float> sqrtFloat(float a) {
  double q = __builtin_sqrt((double)a);
  return nearest<float>({q, fma(-q, q, (double)a)});
}

// double

/// A sum or product that overflowed lost "infinity", with the other sign; infinite operands lose
/// nothing.
inline double lossAt(double result, bool finite, double loss) {
  return isInf(result) ? (finite ? -result : 0.0) : loss;
}
inline bool finite(double x) { return absolute(x) < __builtin_inf(); }

inline Nearest<double> addDouble(double a, double b) {
  Exact e = twoSum(a, b);
  return {e.high, lossAt(e.high, finite(a) && finite(b), e.low)};
}
/// Below 2^-960 the loss is taken of operands scaled by 2^300 each, which cannot overflow: one
/// factor is at most 2^114 when the product is that small.
inline Nearest<double> mulDouble(double a, double b) {
  double p = a * b, loss;
  if (p == 0)
    loss = a != 0 && b != 0 ? (signBit(a) != signBit(b) ? -1.0 : 1.0) : 0.0;
  else if (absolute(p) < 0x1p-960)
    loss = fma(a * 0x1p300, b * 0x1p300, -p * 0x1p600);
  else
    loss = fma(a, b, -p);
  return {p, lossAt(p, finite(a) && finite(b), loss)};
}
/// The remainder a - q * b underflows only for small a; then both are scaled, unless b is so large
/// that q is zero or a few bits.
inline Nearest<double> divDouble(double a, double b) {
  double q = a / b;
  bool scale = absolute(a) < 0x1p-900 && absolute(b) < 0x1p600;
  double k = scale ? 0x1p300 : 1.0;
  double left = fma(-q, b * k, a * k);
  left = isNan(left) ? 0.0 : signBit(b) ? -left : left;
  return {q, lossAt(q, finite(a) && b != 0, left)};
}
inline Nearest<double> sqrtDouble(double a) {
  double q = __builtin_sqrt(a);
  double left = a < 0x1p-900 ? fma(-q * 0x1p270, q * 0x1p270, a * 0x1p540) : fma(-q, q, a);
  return {q, isInf(q) ? 0.0 : left};
}

/// The loss is summed from exact parts (after Boldo and Muller's ErrFma, 2011). If r is c, then it
/// is the product. If not, then the product is at least 2^-55 of c, so that scaling by the
/// product's size loses nothing that counts.
inline Nearest<double> fmaDouble(double a, double b, double c) {
  double r = fma(a, b, c), p = a * b, loss;
  if (r == c) {
    loss = a != 0 && b != 0 ? (signBit(a) != signBit(b) ? -1.0 : 1.0) : 0.0;
  } else {
    bool swap = absolute(a) < absolute(b);
    double big = swap ? b : a, small = swap ? a : b, scale = 1.0;
    if (absolute(p) > 0x1p900)
      big *= scale = 0x1p-200;
    else if (absolute(p) < 0x1p-800)
      small *= scale = 0x1p600;
    double term = scale < 1 && absolute(c) < 0x1p-500 ? c : c * scale;
    Exact u = twoProduct(big, small), alpha = twoSum(term, u.low),
          beta = twoSum(u.high, alpha.high);
    Exact rest = twoSum(beta.low, alpha.low), sum = twoSum(beta.high - r * scale, rest.high);
    double top = sum.high + rest.low;
    loss = top != 0 ? top : sum.low;
  }
  return {r, lossAt(r, finite(a) && finite(b) && finite(c), loss)};
}

/// For the sign of an exactly zero sum only the product's sign matters.
inline double productSign(double a, double b) { return signBit(a) != signBit(b) ? -0.0 : 0.0; }

} // namespace

#define HEDDLE_RN_RZ_RU(T, name, result, expression, Params)                                       \
  HEDDLE_OP T __nv_##name##_rn Params { return expression; }                                       \
  HEDDLE_PURE T __nv_##name##_rz Params { return towardZero(result); }                             \
  HEDDLE_PURE T __nv_##name##_ru Params { return upward(result); }
#define HEDDLE_ROUNDED(T, name, result, expression, Params)                                        \
  HEDDLE_RN_RZ_RU(T, name, result, expression, Params)                                             \
  HEDDLE_PURE T __nv_##name##_rd Params { return downward(result); }
#define HEDDLE_ROUNDED_SUM(T, name, result, expression, first, second, Params)                     \
  HEDDLE_RN_RZ_RU(T, name, result, expression, Params)                                             \
  HEDDLE_PURE T __nv_##name##_rd Params { return sumDown<T>(first, second, result); }

HEDDLE_ROUNDED_SUM(float, fadd, addFloat(a, b), a + b, a, b, (float a, float b))
HEDDLE_ROUNDED_SUM(float, fsub, addFloat(a, -b), a - b, a, -b, (float a, float b))
HEDDLE_ROUNDED(float, fmul, mulFloat(a, b), a *b, (float a, float b))
HEDDLE_ROUNDED(float, fdiv, divFloat(a, b), a / b, (float a, float b))
HEDDLE_ROUNDED(float, frcp, divFloat(1.0f, a), 1.0f / a, (float a))
HEDDLE_ROUNDED(float, fsqrt, sqrtFloat(a), __builtin_sqrtf(a), (float a))
HEDDLE_ROUNDED_SUM(float, fmaf, addFloat((double)a *b, c), fma(a, b, c), (double)a *b, c,
                   (float a, float b, float c))
HEDDLE_ROUNDED_SUM(float, fmaf_ieee, addFloat((double)a *b, c), fma(a, b, c), (double)a *b, c,
                   (float a, float b, float c))

HEDDLE_ROUNDED_SUM(double, dadd, addDouble(a, b), a + b, a, b, (double a, double b))
HEDDLE_ROUNDED_SUM(double, dsub, addDouble(a, -b), a - b, a, -b, (double a, double b))
HEDDLE_ROUNDED(double, dmul, mulDouble(a, b), a *b, (double a, double b))
HEDDLE_ROUNDED(double, ddiv, divDouble(a, b), a / b, (double a, double b))
HEDDLE_ROUNDED(double, drcp, divDouble(1.0, a), 1.0 / a, (double a))
HEDDLE_ROUNDED(double, dsqrt, sqrtDouble(a), __builtin_sqrt(a), (double a))
HEDDLE_ROUNDED_SUM(double, fma, fmaDouble(a, b, c), fma(a, b, c), productSign(a, b), c,
                   (double a, double b, double c))

/// 1/sqrt(x) correctly rounded: in double, with one compensated Newton step, then to float. The
/// double is within 2^-100 of the truth, far closer than any result lies to the middle between two
/// floats.
HEDDLE_PURE float __nv_frsqrt_rn(float x) {
  double a = x, y = 1.0 / __builtin_sqrt(a);
  Exact square = twoProduct(y, y);
  double residue = fma(-a, square.high, 1.0) - a * square.low;
  double correction = 0.5 * y * residue;
  Exact sum = twoSum(y, correction);
  return !(a > 0) || isInf(x) ? (float)y : nearest<float>(sum).value;
}

/// The reciprocal of which the low word is zero: an approximation that PTX offers.
HEDDLE_OP double __nv_rcp64h(double x) { return fromBits(bits(1.0 / x) & 0xffffffff00000000ull); }
