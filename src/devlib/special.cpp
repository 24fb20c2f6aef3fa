// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error function's relatives: erfcx, erfinv, erfcinv, normcdf, normcdfinv; and the pairs of
// sine and cosine. All rest on exp, log, erf and erfc, which SLEEF vectorises.
//
// The inverses start from Winitzki's closed form (A handy approximation for the error function and
// its inverse, 2008; off by at most 0.2 %) and take Newton or Halley steps. The float functions are
// the double ones with one step less.
#include "coefficients.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

constexpr double TwoOverRootPi = 1.1283791670955126, RootHalf = 0.70710678118654752;

/// exp(s * x * x) for s = 1 or -1, with the rounding of the square made good.
inline double expSquare(double x, double s) {
  Exact square = twoProduct(x, x);
  double e = __nv_exp(s * square.high);
  return e < __builtin_inf() && e > 0 ? fma(e, s * square.low, e) : e;
}

inline double erfcxOf(double x) {
  double a = absolute(x);
  double positive;
  if (a > 1e9) {
    positive = 0.56418958354775629 / a;
  } else {
    double w = (a - 4) / (a + 4);
    positive = polynomial(w, ErfcxTable) / (1 + 2 * a);
  }
  return x < 0 ? fma(2.0, expSquare(a, 1), -positive) : positive;
}

/// Winitzki's inverse of erf, from log(1 - x^2).
inline double inverseStart(double logarithm) {
  const double a = 0.147;
  double half = 2 / (3.14159265358979 * a) + logarithm / 2, product = logarithm / a;
  return __builtin_sqrt(-product / (__builtin_sqrt(half * half - product) + half));
}

/// One Halley step for y with erf(y) = x, when `error` is erf(y) - x.
inline double halley(double y, double error) {
  double step = error / (TwoOverRootPi * expSquare(y, -1));
  return y - step / fma(y, step, 1.0);
}

/// z >= 0 with erfc(z) = q, 0 < q <= 1/2: Newton's method for log(erfc(z)) = log(q), which is
/// nearly a parabola. Where erfc has few bits left, its logarithm comes from erfcx.
inline double inverseErfc(double q, int steps) {
  double z = inverseStart(__nv_log(q * (2 - q)));
  for (int i = 0; i < steps; i++) {
    double scaled = erfcxOf(z);
    double error =
        q > 1e-280 ? __nv_log1p((__nv_erfc(z) - q) / q) : __nv_log(scaled) - z * z - __nv_log(q);
    z += error * (0.5 * 1.7724538509055159) * scaled;
  }
  return z;
}

inline double erfinvOf(double x, int steps) {
  double a = absolute(x);
  if (!(a < 1))
    return a == 1 ? copySign(__builtin_inf(), x) : __builtin_nan("");
  if (a > 0.5)
    return copySign(inverseErfc(1 - a, steps), x); // 1 - a is exact
  if (a < 1e-9)
    return x * 0.88622692545275801;
  double y = inverseStart(__nv_log1p(-a * a));
  for (int i = 0; i < steps; i++)
    y = halley(y, __nv_erf(y) - a);
  return copySign(y, x);
}

inline double erfcinvOf(double x, int steps) {
  if (!(x > 0 && x < 2))
    return x == 0 ? __builtin_inf() : x == 2 ? -__builtin_inf() : __builtin_nan("");
  if (x <= 0.5)
    return inverseErfc(x, steps);
  if (x >= 1.5)
    return -inverseErfc(2 - x, steps);
  return erfinvOf(1 - x, steps);
}

/// erfc(-x / sqrt(2)) / 2. The division leaves a rest that the slope of erfc amplifies, up to 2
/// z^2-fold; it is put back to first order.
inline double normcdfOf(double x) {
  double limited = x < -40 ? -40.0 : x > 40 ? 40.0 : x;
  double z = limited * -RootHalf;
  double rest =
      fma(limited, -RootHalf, -z) + limited * 4.8336466567264565e-17; // sqrt(1/2) - RootHalf
  double value = __nv_erfc(z);
  double slope = z > 1 ? 2 * z + 1 / z : TwoOverRootPi * expSquare(z, -1) / value;
  return 0.5 * fma(value, -slope * rest, value);
}

} // namespace

HEDDLE_PURE double __nv_erfcx(double x) { return erfcxOf(x); }
HEDDLE_PURE float __nv_erfcxf(float x) { return (float)erfcxOf(x); }
HEDDLE_PURE double __nv_erfinv(double x) { return erfinvOf(x, 3); }
HEDDLE_PURE float __nv_erfinvf(float x) { return (float)erfinvOf(x, 2); }
HEDDLE_PURE double __nv_erfcinv(double x) { return erfcinvOf(x, 3); }
HEDDLE_PURE float __nv_erfcinvf(float x) { return (float)erfcinvOf(x, 2); }
HEDDLE_PURE double __nv_normcdf(double x) { return normcdfOf(x); }
HEDDLE_PURE float __nv_normcdff(float x) { return (float)normcdfOf(x); }
HEDDLE_PURE double __nv_normcdfinv(double p) { return -1.4142135623730951 * erfcinvOf(2 * p, 3); }
HEDDLE_PURE float __nv_normcdfinvf(float p) {
  return (float)(-1.4142135623730951 * erfcinvOf(2.0 * p, 2));
}

// Pairs

HEDDLE_OUT void __nv_sincos(double x, double *s, double *c) {
  *s = __nv_sin(x);
  *c = __nv_cos(x);
}
HEDDLE_OUT void __nv_sincosf(float x, float *s, float *c) {
  *s = __nv_sinf(x);
  *c = __nv_cosf(x);
}
HEDDLE_OUT void __nv_sincospi(double x, double *s, double *c) {
  *s = __nv_sinpi(x);
  *c = __nv_cospi(x);
}
HEDDLE_OUT void __nv_sincospif(float x, float *s, float *c) {
  *s = __nv_sinpif(x);
  *c = __nv_cospif(x);
}
