// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's math functions in host code (CUDA math API) that the C library lacks. The runtime library
// holds them (src/devlib/host_math.cpp), from the same source as the device's.
#ifndef HEDDLE_HOST_MATH_H
#define HEDDLE_HOST_MATH_H

// glibc has these from 2.41 and 2.42 on.
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 41)
#define HEDDLE_LIBC_HAS_SINPI
#endif
#if __GLIBC_PREREQ(2, 42)
#define HEDDLE_LIBC_HAS_RSQRT
#endif
#endif

#pragma push_macro("HEDDLE_H")
#define HEDDLE_H static __host__ __inline__

#define HEDDLE_HOST_1(name)                                                                        \
  extern "C" __host__ double heddle_##name(double);                                                \
  extern "C" __host__ float heddle_##name##f(float);                                               \
  HEDDLE_H double name(double x) { return heddle_##name(x); }                                      \
  HEDDLE_H float name##f(float x) { return heddle_##name##f(x); }                                  \
  HEDDLE_HOST_FLOAT(name)
#define HEDDLE_HOST_FLOAT(name)                                                                    \
  HEDDLE_H float name(float x) { return ::name##f(x); }
#if defined(HEDDLE_LIBC_HAS_RSQRT)
HEDDLE_HOST_FLOAT(rsqrt)
#else
HEDDLE_HOST_1(rsqrt)
#endif
#if defined(HEDDLE_LIBC_HAS_SINPI)
HEDDLE_HOST_FLOAT(sinpi)
HEDDLE_HOST_FLOAT(cospi)
#else
HEDDLE_HOST_1(sinpi)
HEDDLE_HOST_1(cospi)
#endif
HEDDLE_HOST_1(rcbrt)
HEDDLE_HOST_1(erfinv)
HEDDLE_HOST_1(erfcinv)
HEDDLE_HOST_1(erfcx)
HEDDLE_HOST_1(normcdf)
HEDDLE_HOST_1(normcdfinv)
HEDDLE_HOST_1(cyl_bessel_i0)
HEDDLE_HOST_1(cyl_bessel_i1)
HEDDLE_HOST_FLOAT(exp10)
#undef HEDDLE_HOST_1
#undef HEDDLE_HOST_FLOAT

#define HEDDLE_HOST(name, Double, Float, args)                                                     \
  extern "C" __host__ double heddle_##name Double;                                                 \
  extern "C" __host__ float heddle_##name##f Float;                                                \
  HEDDLE_H double name Double { return heddle_##name args; }                                       \
  HEDDLE_H float name##f Float { return heddle_##name##f args; }
HEDDLE_HOST(rhypot, (double a, double b), (float a, float b), (a, b))
HEDDLE_HOST(norm3d, (double a, double b, double c), (float a, float b, float c), (a, b, c))
HEDDLE_HOST(rnorm3d, (double a, double b, double c), (float a, float b, float c), (a, b, c))
HEDDLE_HOST(norm4d, (double a, double b, double c, double d), (float a, float b, float c, float d),
            (a, b, c, d))
HEDDLE_HOST(rnorm4d, (double a, double b, double c, double d), (float a, float b, float c, float d),
            (a, b, c, d))
HEDDLE_HOST(norm, (int n, const double *x), (int n, const float *x), (n, x))
HEDDLE_HOST(rnorm, (int n, const double *x), (int n, const float *x), (n, x))
#undef HEDDLE_HOST
HEDDLE_H float rhypot(float a, float b) { return ::rhypotf(a, b); }

HEDDLE_H void sincospi(double x, double *s, double *c) {
  *s = sinpi(x);
  *c = cospi(x);
}
HEDDLE_H void sincospif(float x, float *s, float *c) {
  *s = sinpif(x);
  *c = cospif(x);
}
HEDDLE_H void sincospi(float x, float *s, float *c) { ::sincospif(x, s, c); }
HEDDLE_H void sincos(float x, float *s, float *c) { ::sincosf(x, s, c); }
HEDDLE_H double fdivide(double a, double b) { return a / b; }
HEDDLE_H float fdividef(float a, float b) { return a / b; }
HEDDLE_H float fdivide(float a, float b) { return a / b; }

HEDDLE_H unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
HEDDLE_H unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
HEDDLE_H long long llmin(long long a, long long b) { return a < b ? a : b; }
HEDDLE_H long long llmax(long long a, long long b) { return a > b ? a : b; }
HEDDLE_H unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return a < b ? a : b;
}
HEDDLE_H unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

#undef HEDDLE_H
#pragma pop_macro("HEDDLE_H")
#endif
