// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA math API in device code. clang's headers wrap libdevice's functions (__nv_sinf, ...),
// which src/devlib defines or the warp compiler maps to SLEEF; this file puts them in order and
// adds what they leave to CUDA's own headers: the float overloads, classification, mixed min and
// max.
//
// Three things in clang's headers are hidden, since they are PTX in inline assembly or bind to
// intrinsics that device_warp.h and device_atomics.h express better: they are renamed while the
// header is read.
#ifndef HEDDLE_DEVICE_MATH_H
#define HEDDLE_DEVICE_MATH_H

// Between 9.0 and 9.2, clang takes the packed functions (__vadd2, ...) from libdevice; later as
// inline PTX.
#pragma push_macro("CUDA_VERSION")
#undef CUDA_VERSION
#define CUDA_VERSION 9010
#include <__clang_cuda_libdevice_declares.h>
#define __brkpt __heddle_hidden_brkpt
#define __all __heddle_hidden_all
#define __any __heddle_hidden_any
#define __ballot __heddle_hidden_ballot
#define clock __heddle_hidden_clock
#include <__clang_cuda_device_functions.h>
#undef __brkpt
#undef __all
#undef __any
#undef __ballot
#undef clock
#pragma pop_macro("CUDA_VERSION")

// The host's two are there already by <cstring>; these are the device's.
namespace std {
using ::memcpy;
using ::memset;
} // namespace std

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__
/// Not among clang's declarations.
extern "C" __device__ float __nv_fast_tanhf(float);
HEDDLE_D int __signbit(double x) { return __nv_signbitd(x); }

#include <__clang_cuda_math.h>

// The float overloads that clang's <__clang_cuda_cmath.h> declares and leaves to CUDA's headers.
#define HEDDLE_OVERLOAD_1(R, name)                                                                 \
  HEDDLE_D R name(float x) { return ::name##f(x); }
#define HEDDLE_OVERLOAD_2(R, name)                                                                 \
  HEDDLE_D R name(float x, float y) { return ::name##f(x, y); }
HEDDLE_OVERLOAD_1(float, acosh)
HEDDLE_OVERLOAD_1(float, asinh)
HEDDLE_OVERLOAD_1(float, atanh)
HEDDLE_OVERLOAD_1(float, cbrt)
HEDDLE_OVERLOAD_1(float, erf)
HEDDLE_OVERLOAD_1(float, erfc)
HEDDLE_OVERLOAD_1(float, exp2)
HEDDLE_OVERLOAD_1(float, expm1)
HEDDLE_OVERLOAD_1(float, lgamma)
HEDDLE_OVERLOAD_1(float, log1p)
HEDDLE_OVERLOAD_1(float, log2)
HEDDLE_OVERLOAD_1(float, logb)
HEDDLE_OVERLOAD_1(float, nearbyint)
HEDDLE_OVERLOAD_1(float, rint)
HEDDLE_OVERLOAD_1(float, round)
HEDDLE_OVERLOAD_1(float, tgamma)
HEDDLE_OVERLOAD_1(float, trunc)
HEDDLE_OVERLOAD_1(int, ilogb)
HEDDLE_OVERLOAD_1(long, lrint)
HEDDLE_OVERLOAD_1(long, lround)
HEDDLE_OVERLOAD_1(long long, llrint)
HEDDLE_OVERLOAD_1(long long, llround)
HEDDLE_OVERLOAD_2(float, copysign)
HEDDLE_OVERLOAD_2(float, fdim)
HEDDLE_OVERLOAD_2(float, fmax)
HEDDLE_OVERLOAD_2(float, fmin)
HEDDLE_OVERLOAD_2(float, hypot)
HEDDLE_OVERLOAD_2(float, nextafter)
HEDDLE_OVERLOAD_2(float, remainder)
// These are CUDA's own names; the standard library has no overloads of them.
HEDDLE_OVERLOAD_1(float, rsqrt)
HEDDLE_OVERLOAD_1(float, rcbrt)
HEDDLE_OVERLOAD_1(float, sinpi)
HEDDLE_OVERLOAD_1(float, cospi)
HEDDLE_OVERLOAD_1(float, exp10)
HEDDLE_OVERLOAD_1(float, erfinv)
HEDDLE_OVERLOAD_1(float, erfcinv)
HEDDLE_OVERLOAD_1(float, erfcx)
HEDDLE_OVERLOAD_1(float, normcdf)
HEDDLE_OVERLOAD_1(float, normcdfinv)
HEDDLE_OVERLOAD_1(float, j0)
HEDDLE_OVERLOAD_1(float, j1)
HEDDLE_OVERLOAD_1(float, y0)
HEDDLE_OVERLOAD_1(float, y1)
HEDDLE_OVERLOAD_1(float, cyl_bessel_i0)
HEDDLE_OVERLOAD_1(float, cyl_bessel_i1)
HEDDLE_OVERLOAD_2(float, rhypot)
HEDDLE_OVERLOAD_2(float, fdivide)
#undef HEDDLE_OVERLOAD_1
#undef HEDDLE_OVERLOAD_2
HEDDLE_D float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
HEDDLE_D float remquo(float x, float y, int *q) { return ::remquof(x, y, q); }
HEDDLE_D float scalbn(float x, int n) { return ::scalbnf(x, n); }
HEDDLE_D float scalbln(float x, long n) { return ::scalblnf(x, n); }
HEDDLE_D float jn(int n, float x) { return ::jnf(n, x); }
HEDDLE_D float yn(int n, float x) { return ::ynf(n, x); }
HEDDLE_D void sincos(float x, float *s, float *c) { ::sincosf(x, s, c); }
HEDDLE_D void sincospi(float x, float *s, float *c) { ::sincospif(x, s, c); }
HEDDLE_D float norm3d(float x, float y, float z) { return ::norm3df(x, y, z); }
HEDDLE_D float norm4d(float x, float y, float z, float w) { return ::norm4df(x, y, z, w); }
HEDDLE_D float rnorm3d(float x, float y, float z) { return ::rnorm3df(x, y, z); }
HEDDLE_D float rnorm4d(float x, float y, float z, float w) { return ::rnorm4df(x, y, z, w); }
HEDDLE_D double nan(const char *s) { return __nv_nan((const signed char *)s); }
HEDDLE_D float nanf(const char *s) { return __nv_nanf((const signed char *)s); }
HEDDLE_D int finite(double x) { return __nv_isfinited(x); }
HEDDLE_D int finitef(float x) { return __nv_finitef(x); }
HEDDLE_D float __tanhf(float x) { return __nv_fast_tanhf(x); }
HEDDLE_D double __rcp64h(double x) { return __nv_rcp64h(x); }

// A power of an integer is one of a double, as precise as other powers. Constants that multiply no
// more than that are products.
HEDDLE_D float pow(float x, float y) { return ::powf(x, y); }
HEDDLE_D double pow(double x, int n) {
  return __builtin_constant_p(n) && n >= 0 && n <= 4 ? ::powi(x, n) : ::pow(x, double(n));
}
HEDDLE_D double pow(float x, int n) { return ::pow(double(x), n); }

// The device's `long double` is a double.
HEDDLE_D double nexttoward(double x, long double y) { return ::nextafter(x, double(y)); }
HEDDLE_D float nexttowardf(float x, long double y) {
  double to = double(y);
  if (!(to < x) && !(to > x)) // equal, or no number
    return float(x == to ? to : x + to);
  return ::nextafterf(x, to > x ? __builtin_inff() : -__builtin_inff());
}
HEDDLE_D float nexttoward(float x, long double y) { return ::nexttowardf(x, y); }
#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")

#define pow __heddle_hidden_pow
#include <__clang_cuda_cmath.h>
#undef pow

// What clang's header has for all other pairs of arithmetic types.
namespace std {
template <class T, class U>
static __device__ __forceinline__
    typename __clang_cuda_enable_if<std::numeric_limits<T>::is_specialized &&
                                        std::numeric_limits<U>::is_specialized,
                                    double>::type
    pow(T x, U y) {
  return ::pow(double(x), double(y));
}
} // namespace std

#include <__clang_cuda_complex_builtins.h>

#endif
