// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's math functions for host code that the C library lacks, over the same code as on the
// device. The runtime library exports them under heddle_ names; include/heddle/host_math.h calls
// them.
#include "devlib.h"

// What src/simt/math.def maps to SLEEF is the C library's function here.
#define HEDDLE_SCALAR_1_64(name, scalar)                                                           \
  extern "C" double scalar(double);                                                                \
  HEDDLE_PURE double name(double x) { return scalar(x); }
#define HEDDLE_SCALAR_1_32(name, scalar)                                                           \
  extern "C" float scalar(float);                                                                  \
  HEDDLE_PURE float name(float x) { return scalar(x); }
HEDDLE_SCALAR_1_64(__nv_exp, exp)
HEDDLE_SCALAR_1_64(__nv_expm1, expm1)
HEDDLE_SCALAR_1_64(__nv_log, log)
HEDDLE_SCALAR_1_64(__nv_sin, sin)
HEDDLE_SCALAR_1_64(__nv_cos, cos)
HEDDLE_SCALAR_1_64(__nv_erf, erf)
HEDDLE_SCALAR_1_64(__nv_erfc, erfc)
HEDDLE_SCALAR_1_64(__nv_cbrt, cbrt)
HEDDLE_SCALAR_1_64(__heddle_sinh, sinh)
HEDDLE_SCALAR_1_64(__heddle_cosh, cosh)
HEDDLE_SCALAR_1_64(__heddle_asinh, asinh)
HEDDLE_SCALAR_1_64(__heddle_acosh, acosh)
HEDDLE_SCALAR_1_64(__heddle_log1p, log1p)
HEDDLE_SCALAR_1_64(__heddle_tgamma, tgamma)
HEDDLE_SCALAR_1_32(__nv_sinf, sinf)
HEDDLE_SCALAR_1_32(__nv_cosf, cosf)
HEDDLE_SCALAR_1_32(__heddle_tgammaf, tgammaf)
#define HEDDLE_SCALAR_2(T, name, scalar)                                                           \
  extern "C" T scalar(T, T);                                                                       \
  HEDDLE_PURE T name(T x, T y) { return scalar(x, y); }
HEDDLE_SCALAR_2(double, __heddle_pow, pow)
HEDDLE_SCALAR_2(double, __heddle_atan2, atan2)

/// sin(pi x) and cos(pi x): the period is taken off exactly, then what is left lies within a
/// quarter turn.
namespace {
double sineOfTurns(double x, bool cosine) {
  double half = 0.5 * x, turns = x - 2 * __builtin_floor(half); // in [0, 2), exact
  if (!(turns >= 0))
    return __builtin_nan("");
  int quarter = (int)(2 * turns + 0.5);
  double rest = (turns - 0.5 * quarter) * 3.14159265358979312;
  quarter += cosine;
  double value = quarter & 1 ? cos(rest) : sin(rest);
  return quarter & 2 ? -value : value;
}
} // namespace
HEDDLE_PURE double __heddle_sinpi(double x) { return sineOfTurns(x, false); }
HEDDLE_PURE double __heddle_cospi(double x) {
  double value = sineOfTurns(x, true);
  return value == 0 ? 0.0 : value;
}
HEDDLE_PURE float __heddle_sinpif(float x) { return (float)__heddle_sinpi((double)x); }
HEDDLE_PURE float __heddle_cospif(float x) { return (float)__heddle_cospi((double)x); }

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default")))
#define HEDDLE_HOST_1(name)                                                                        \
  HEDDLE_PURE double __nv_##name(double);                                                          \
  HEDDLE_PURE float __nv_##name##f(float);                                                         \
  HEDDLE_EXPORT double heddle_##name(double x) { return __nv_##name(x); }                          \
  HEDDLE_EXPORT float heddle_##name##f(float x) { return __nv_##name##f(x); }
HEDDLE_HOST_1(rsqrt)
HEDDLE_HOST_1(rcbrt)
HEDDLE_HOST_1(sinpi)
HEDDLE_HOST_1(cospi)
HEDDLE_HOST_1(erfinv)
HEDDLE_HOST_1(erfcinv)
HEDDLE_HOST_1(erfcx)
HEDDLE_HOST_1(normcdf)
HEDDLE_HOST_1(normcdfinv)
HEDDLE_HOST_1(cyl_bessel_i0)
HEDDLE_HOST_1(cyl_bessel_i1)

#define HEDDLE_HOST(T, name, Params, args)                                                         \
  extern "C" T __nv_##name Params;                                                                 \
  HEDDLE_EXPORT T heddle_##name Params { return __nv_##name args; }
HEDDLE_HOST(double, rhypot, (double a, double b), (a, b))
HEDDLE_HOST(float, rhypotf, (float a, float b), (a, b))
HEDDLE_HOST(double, norm3d, (double a, double b, double c), (a, b, c))
HEDDLE_HOST(float, norm3df, (float a, float b, float c), (a, b, c))
HEDDLE_HOST(double, rnorm3d, (double a, double b, double c), (a, b, c))
HEDDLE_HOST(float, rnorm3df, (float a, float b, float c), (a, b, c))
HEDDLE_HOST(double, norm4d, (double a, double b, double c, double d), (a, b, c, d))
HEDDLE_HOST(float, norm4df, (float a, float b, float c, float d), (a, b, c, d))
HEDDLE_HOST(double, rnorm4d, (double a, double b, double c, double d), (a, b, c, d))
HEDDLE_HOST(float, rnorm4df, (float a, float b, float c, float d), (a, b, c, d))
HEDDLE_HOST(double, norm, (int n, const double *x), (n, x))
HEDDLE_HOST(float, normf, (int n, const float *x), (n, x))
HEDDLE_HOST(double, rnorm, (int n, const double *x), (n, x))
HEDDLE_HOST(float, rnormf, (int n, const float *x), (n, x))
