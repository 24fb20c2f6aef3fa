// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bessel functions. Below 8, J and Y are products of (x - zero) and a polynomial around each zero,
// with the zero in two doubles: so they keep their relative accuracy there. From 8 on they are an
// amplitude and a phase (Abramowitz and Stegun 9.2.5), accurate in absolute terms, as CUDA's table
// asks. Near 0, Y takes its logarithm relative to its first zero: Y0(x) = 2/pi log(x/z) J0(x) +
// (x^2 - z^2) h(x^2), both terms vanishing at z. I0 and I1 are their power series below 8 and
// exp(x)/sqrt(x) times a polynomial in 1/x above. The float functions are the double ones, rounded.
#include "coefficients.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

constexpr double TwoOverPi = 0.63661977236758134, RootInversePi = 0.56418958354775629;

template <int N>
inline double around(double x, double high, double low, double from, double to,
                     const double (&table)[N]) {
  double w = (x - 0.5 * (from + to)) * (2 / (to - from));
  return ((x - high) - low) * polynomial(w, table);
}

/// log(x / z) with z in two doubles, accurate where x is near z.
inline double logRatio(double x, double high, double low) {
  double r = x / high;
  if (x < 0x1p-900) // in the denormal range r would have few bits
    return __nv_log(x * 0x1p200 / high) - 138.62943611198906;
  return r > 0.5 && r < 2 ? __nv_log1p(((x - high) - low) / high) : __nv_log(r);
}

inline double j0Near(double x) {
  if (x < 2)
    return polynomial(0.5 * x * x - 1, J0Small);
  return x < 4 ? around(x, J0Zero1High, J0Zero1Low, 2, 4, J0First)
               : around(x, J0Zero2High, J0Zero2Low, 4, 8, J0Second);
}
inline double j1Near(double x) {
  if (x < 2)
    return x * polynomial(0.5 * x * x - 1, J1Small);
  return x < 5.5 ? around(x, J1Zero1High, J1Zero1Low, 2, 5.5, J1First)
                 : around(x, J1Zero2High, J1Zero2Low, 5.5, 8, J1Second);
}
inline double y0Near(double x) {
  if (x >= 5.5)
    return around(x, Y0Zero3High, Y0Zero3Low, 5.5, 8, Y0Third);
  if (x >= 2.25)
    return around(x, Y0Zero2High, Y0Zero2Low, 2.25, 5.5, Y0Second);
  double square = ((x - Y0Zero1High) - Y0Zero1Low) * (x + Y0Zero1High);
  double rest = square * polynomial(x * x * (2 / (2.25 * 2.25)) - 1, Y0Small);
  return fma(TwoOverPi * logRatio(x, Y0Zero1High, Y0Zero1Low), j0Near(x), rest);
}
inline double y1Near(double x) {
  if (x >= 3.75)
    return around(x, Y1Zero2High, Y1Zero2Low, 3.75, 8, Y1Second);
  if (x < 1e-290)
    return -TwoOverPi / x;
  double square = ((x - Y1Zero1High) - Y1Zero1Low) * (x + Y1Zero1High);
  double rest = square * polynomial(x * x * (2 / (3.75 * 3.75)) - 1, Y1Small) / x;
  return fma(TwoOverPi * logRatio(x, Y1Zero1High, Y1Zero1Low), j1Near(x), rest);
}

struct Wave {
  double p, q, sine, cosine, size;
};
inline Wave waveOf(double x, bool first) {
  double inverse = 1 / x, w = 128 * inverse * inverse - 1;
  double p = first ? polynomial(w, P1Table) : polynomial(w, P0Table);
  double q = inverse * (first ? polynomial(w, Q1Table) : polynomial(w, Q0Table));
  return {p, q, __nv_sin(x), __nv_cos(x), RootInversePi * __builtin_sqrt(inverse)};
}

/// For x >= 0.
inline double j0Of(double x) {
  if (x < 8)
    return j0Near(x);
  Wave a = waveOf(x, false);
  double value = a.size * (a.p * (a.cosine + a.sine) - a.q * (a.sine - a.cosine));
  return isInf(x) ? 0.0 : value;
}
inline double j1Of(double x) {
  if (x < 8)
    return j1Near(x);
  Wave a = waveOf(x, true);
  double value = a.size * (a.p * (a.sine - a.cosine) + a.q * (a.sine + a.cosine));
  return isInf(x) ? 0.0 : value;
}
/// For x > 0; the callers see to the rest.
inline double y0Of(double x) {
  if (x < 8)
    return y0Near(x);
  Wave a = waveOf(x, false);
  double value = a.size * (a.p * (a.sine - a.cosine) + a.q * (a.cosine + a.sine));
  return isInf(x) ? 0.0 : value;
}
inline double y1Of(double x) {
  if (x < 8)
    return y1Near(x);
  Wave a = waveOf(x, true);
  double value = a.size * (a.q * (a.sine - a.cosine) - a.p * (a.sine + a.cosine));
  return isInf(x) ? 0.0 : value;
}

inline double j0Any(double x) { return isNan(x) ? x : j0Of(absolute(x)); }
inline double j1Any(double x) { return isNan(x) ? x : x < 0 ? -j1Of(-x) : j1Of(x); }
/// What Y of any order is outside x > 0.
inline double yOutside(double x) { return x == 0 ? -__builtin_inf() : __builtin_nan(""); }
inline double y0Any(double x) { return x > 0 ? y0Of(x) : yOutside(x); }
inline double y1Any(double x) { return x > 0 ? y1Of(x) : yOutside(x); }

/// J of order n by recurrence: upwards while n < x, where that is stable; else downwards from far
/// above, scaled by J0 + 2 J2 + 2 J4 + ... = 1 (Miller).
inline double jnOf(int n, double x) {
  double a = absolute(x);
  if (n == 0)
    return j0Any(x);
  if (isNan(x) || a == 0 || isInf(x))
    return isNan(x) ? x : 0.0;
  double value;
  if ((double)n < a) {
    double before = j0Of(a), now = j1Of(a);
    for (int k = 1; k < n; k++) {
      double next = now * (2.0 * k / a) - before;
      before = now, now = next;
    }
    value = now;
  } else {
    int start = 2 * ((n + (int)__builtin_sqrt(60.0 * n) + 20) / 2);
    double above = 0, now = 1, sum = 0;
    value = 0;
    for (int k = start; k > 0; k--) {
      double below = now * (2.0 * k / a) - above;
      above = now, now = below;
      if (absolute(now) > 0x1p300)
        now *= 0x1p-300, above *= 0x1p-300, sum *= 0x1p-300, value *= 0x1p-300;
      sum += k & 1 ? 2 * now : 0.0; // now is the value of order k - 1
      if (k == n)
        value = above;
    }
    sum -= now;
    value /= sum;
  }
  return x < 0 && (n & 1) ? -value : value;
}

/// Upwards is always stable for Y.
inline double ynOf(int n, double x) {
  if (!(x > 0))
    return yOutside(x);
  if (isInf(x))
    return 0.0;
  double before = y0Of(x), now = y1Of(x);
  if (n == 0)
    return before;
  for (int k = 1; k < n && now > -__builtin_inf(); k++) {
    double next = now * (2.0 * k / x) - before;
    before = now, now = next;
  }
  return now;
}

inline double iLarge(double x, double p) {
  // exp(x / 2) twice: I is finite a little beyond exp.
  double e = __nv_exp(0.5 * x);
  return x > 800 ? __builtin_inf() : e * (p / __builtin_sqrt(x)) * e;
}
inline double i0Of(double x) {
  double a = absolute(x);
  if (isNan(x))
    return x;
  return a < 8 ? polynomial(0.25 * a * a, I0Small) : iLarge(a, polynomial(16 / a - 1, I0Far));
}
inline double i1Of(double x) {
  double a = absolute(x);
  if (isNan(x))
    return x;
  return a < 8 ? x * polynomial(0.25 * a * a, I1Small)
               : copySign(iLarge(a, polynomial(16 / a - 1, I1Far)), x);
}

} // namespace

#define HEDDLE_BOTH(name, function)                                                                \
  HEDDLE_PURE double __nv_##name(double x) { return function(x); }                                 \
  HEDDLE_PURE float __nv_##name##f(float x) { return (float)function((double)x); }
HEDDLE_BOTH(j0, j0Any)
HEDDLE_BOTH(j1, j1Any)
HEDDLE_BOTH(y0, y0Any)
HEDDLE_BOTH(y1, y1Any)
HEDDLE_BOTH(cyl_bessel_i0, i0Of)
HEDDLE_BOTH(cyl_bessel_i1, i1Of)

// A negative order is NaN, as in CUDA.
HEDDLE_PURE double __nv_jn(int n, double x) { return n < 0 ? __builtin_nan("") : jnOf(n, x); }
HEDDLE_PURE float __nv_jnf(int n, float x) {
  return n < 0 ? __builtin_nanf("") : (float)jnOf(n, x);
}
HEDDLE_PURE double __nv_yn(int n, double x) { return n < 0 ? __builtin_nan("") : ynOf(n, x); }
HEDDLE_PURE float __nv_ynf(int n, float x) {
  return n < 0 ? __builtin_nanf("") : (float)ynOf(n, x);
}
