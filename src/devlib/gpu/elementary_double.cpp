// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials, logarithms and sines of doubles for a GPU: below 1 ulp where scalar/ is at half of one,
// with a third of its operations. Polynomials: Sun Microsystems, fdlibm (e_log.c, k_sin.c, k_cos.c),
// and the series of the exponential.
#include "devlib/gpu/machine_math.h"
#include "devlib/polynomial.h"
#include "devlib/scalar/pairs.h"

using namespace heddle::devlib;

// scalar/circular.cpp
HEDDLE_PURE double __heddle_large_sine(double);
HEDDLE_PURE double __heddle_large_cosine(double);

namespace {

constexpr double ExpTerms[] = {1.0,
                               1.0,
                               1.0 / 2,
                               1.0 / 6,
                               1.0 / 24,
                               1.0 / 120,
                               1.0 / 720,
                               1.0 / 5040,
                               1.0 / 40320,
                               1.0 / 362880,
                               1.0 / 3628800,
                               1.0 / 39916800,
                               1.0 / 479001600,
                               1.0 / 6227020800};
constexpr double LogTerms[] = {6.666666666666735130e-01, 3.999999999940941908e-01,
                               2.857142874366239149e-01, 2.222219843214978396e-01,
                               1.818357216161805012e-01, 1.531383769920937332e-01,
                               1.479819860511658591e-01};
constexpr double SineTerms[] = {8.33333333332248946124e-03, -1.98412698298579493134e-04,
                                2.75573137070700676789e-06, -2.50507602534068634195e-08,
                                1.58969099521155010221e-10};
constexpr double CosineTerms[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                                  2.48015872894767294178e-05, -2.75573143513906633035e-07,
                                  2.08757232129817482790e-09, -1.13596475577881948265e-11};
constexpr double Log2High = 6.93147180369123816490e-01, Log2Low = 1.90821492927058770002e-10;
constexpr double ToWhole = 0x1.8p52;

/// x * 2^n for |n| < 1100, with one rounding.
inline double scale(double x, int n) {
  int half = n / 2;
  return x * power2(half) * power2(n - half);
}

struct Angle {
  u32 quarters;
  Exact rest;
};
/// For |x| < 2^20: x - n First is exact.
inline Angle reduce(double x) {
  constexpr double First = HalfPi.high, Second = HalfPi.low, Third = -0x1.f1976b7ed8fbcp-110;
  double shifted = fma(x, 0.63661977236758134, ToWhole), n = shifted - ToWhole;
  Exact second = twoProduct(n, Second);
  Exact rest = twoSum(fma(n, -First, x), -second.high);
  rest.low = fma(n, -Third, rest.low - second.low);
  return {(u32)bits(shifted), rest};
}
inline double sine(Exact r) {
  double z = r.high * r.high, v = z * r.high;
  double tail = fma(z, fma(0.5, r.low, -v * polynomial(z, SineTerms)), -r.low);
  return r.high - fma(v, 1.66666666666666324348e-01, tail);
}
inline double cosine(Exact r) {
  double z = r.high * r.high, half = 0.5 * z, w = 1 - half;
  return w + ((1 - w - half) + fma(z * z, polynomial(z, CosineTerms), -r.high * r.low));
}
inline double sineOf(Angle angle) {
  double value = angle.quarters & 1 ? cosine(angle.rest) : sine(angle.rest);
  return fromBits(bits(value) ^ (u64)(angle.quarters & 2) << 62);
}

} // namespace

HEDDLE_PURE double __nv_exp(double x) {
  double shifted = fma(x, 1.4426950408889634, ToWhole), n = shifted - ToWhole;
  double r = fma(n, -Log2Low, fma(n, -Log2High, x)), value = polynomial(r, ExpTerms);
  int k = (int)(u32)bits(shifted);
  if (absolute(x) < 708) // then 2^k is no denormal and not infinite
    return fromBits(bits(value) + ((u64)(u32)k << 52));
  if (!(absolute(x) < 746))
    return x > 0 ? __builtin_inf() : x < 0 ? 0 : x;
  return scale(value, k);
}

HEDDLE_PURE double __nv_log(double x) {
  if (!(x > 0 && x < __builtin_inf()))
    return x == 0 ? -__builtin_inf() : x > 0 ? x : __builtin_nan("");
  bool isSmall = x < 0x1p-1022;
  u64 from = bits(isSmall ? x * 0x1p54 : x);
  u64 above = (from - bits(0.70710678118654752)) & 0xfff0000000000000;
  double f = fromBits(from - above) - 1, k = (double)((int)((i64)above >> 52) - (isSmall ? 54 : 0));
  double divisor = 2 + f, inverse = reciprocalOf(divisor);
  double error = fma(-divisor, inverse, 1.0);
  inverse = fma(inverse, fma(error, error, error), inverse);
  double s = f * inverse;
  s = fma(fma(-divisor, s, f), inverse, s);
  double z = s * s, half = 0.5 * f * f;
  double rest = fma(s, fma(z, polynomial(z, LogTerms), half), k * Log2Low);
  return fma(k, Log2High, f - (half - rest));
}

HEDDLE_PURE double __nv_sin(double x) {
  if (absolute(x) < 0x1p20)
    return x == 0 ? x : sineOf(reduce(x));
  return __heddle_large_sine(x);
}
HEDDLE_PURE double __nv_cos(double x) {
  if (!(absolute(x) < 0x1p20))
    return __heddle_large_cosine(x);
  Angle angle = reduce(x);
  return sineOf({angle.quarters + 1, angle.rest});
}
extern "C" __attribute__((nothrow)) void __nv_sincos(double x, double *s, double *c) {
  *s = __nv_sin(x), *c = __nv_cos(x);
}
