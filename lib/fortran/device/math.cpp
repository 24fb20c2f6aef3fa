// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of real numbers: those of C's library that Flang calls, which the device library has in
// CUDA's names, and those of Flang's runtime (flang/Runtime/numeric.h).
#include "fortran/device/descriptor.h"
#include "fortran/device/device.h"

#define HEDDLE_NAMED(NAME)                                                                         \
  float __nv_##NAME##f(float);                                                                     \
  double __nv_##NAME(double);                                                                      \
  float NAME##f(float x) { return __nv_##NAME##f(x); }                                             \
  double NAME(double x) { return __nv_##NAME(x); }

#define HEDDLE_NAMED_OF_ORDER(NAME)                                                                \
  float __nv_##NAME##f(int, float);                                                                \
  double __nv_##NAME(int, double);                                                                 \
  float NAME##f(int n, float x) { return __nv_##NAME##f(n, x); }                                   \
  double NAME(int n, double x) { return __nv_##NAME(n, x); }

extern "C" {
HEDDLE_NAMED(tgamma)
HEDDLE_NAMED(lgamma)
HEDDLE_NAMED(j0)
HEDDLE_NAMED(j1)
HEDDLE_NAMED(y0)
HEDDLE_NAMED(y1)
HEDDLE_NAMED_OF_ORDER(jn)
HEDDLE_NAMED_OF_ORDER(yn)
float __nv_erfcxf(float);
double __nv_erfcx(double);
float __nv_fmodf(float, float);
double __nv_fmod(double, double);
float __nv_frexpf(float, int *);
double __nv_frexp(double, int *);
float __nv_hypotf(float, float);
double __nv_hypot(double, double);
float __nv_ldexpf(float, int);
double __nv_ldexp(double, int);
double __nv_sqrt(double);
float hypotf(float x, float y) { return __nv_hypotf(x, y); }
double hypot(double x, double y) { return __nv_hypot(x, y); }
}

using namespace heddle::fortran;

namespace {

float remainder(float x, float y) { return __nv_fmodf(x, y); }
double remainder(double x, double y) { return __nv_fmod(x, y); }
float split(float x, int *exponent) { return __nv_frexpf(x, exponent); }
double split(double x, int *exponent) { return __nv_frexp(x, exponent); }
float load(float x, int exponent) { return __nv_ldexpf(x, exponent); }
double load(double x, int exponent) { return __nv_ldexp(x, exponent); }

/// What is beyond all exponents stays so.
int clamp(int64_t exponent) {
  constexpr int64_t Most = 10000;
  return static_cast<int>(exponent > Most ? Most : exponent < -Most ? -Most : exponent);
}

template <typename T> struct Model; // of the standard's numbers
template <> struct Model<float> {
  static constexpr int Digits = 24, Least = -125;
};
template <> struct Model<double> {
  static constexpr int Digits = 53, Least = -1021;
};

/// The sign is the divisor's.
template <typename T> T modulo(T x, T y) {
  T rest = remainder(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

template <typename T> T fraction(T x) {
  if (x == 0 || !__builtin_isfinite(x))
    return x;
  int exponent;
  return split(x, &exponent);
}

/// EXPONENT of an infinity or a NaN is the greatest integer.
template <typename R, typename T> R exponent(T x) {
  if (!__builtin_isfinite(x))
    return static_cast<R>((1ull << (8 * sizeof(R) - 1)) - 1);
  int result = 0;
  if (x != 0)
    split(x, &result);
  return result;
}

template <typename T> T setExponent(T x, int64_t exponent) {
  return x == 0 ? x : load(fraction(x), clamp(exponent));
}

template <typename T> T spacing(T x) {
  int place = Model<T>::Least;
  if (x != 0 && exponent<int>(x) > place)
    place = exponent<int>(x);
  return __builtin_isfinite(x) ? load(T(1), place - Model<T>::Digits) : x - x;
}

template <typename T> T reciprocalSpacing(T x) {
  T size = fraction(x < 0 ? -x : x);
  return __builtin_isfinite(x) ? load(size, Model<T>::Digits) : x - x;
}

/// Scaled by the largest element, so that no square overflows.
template <typename T> T norm(const Descriptor *array) {
  uint64_t count = elementsOf(array);
  double largest = 0, sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    double size = *reinterpret_cast<const T *>(elementAt(array, i));
    size = size < 0 ? -size : size;
    if (!(size <= largest)) // also a NaN
      largest = size;
  }
  if (largest == 0 || !__builtin_isfinite(largest))
    return static_cast<T>(largest);
  for (uint64_t i = 0; i < count; ++i) {
    double part = *reinterpret_cast<const T *>(elementAt(array, i)) / largest;
    sum += part * part;
  }
  return static_cast<T>(largest * __nv_sqrt(sum));
}

} // namespace

// HEDDLE_NUMERIC(KIND, TYPE)
#define HEDDLE_NUMERIC(KIND, TYPE)                                                                 \
  TYPE _FortranAModReal##KIND(TYPE x, TYPE y, const char *, int) { return remainder(x, y); }       \
  TYPE _FortranAModuloReal##KIND(TYPE x, TYPE y, const char *, int) { return modulo(x, y); }       \
  TYPE _FortranAFraction##KIND(TYPE x) { return fraction(x); }                                     \
  int32_t _FortranAExponent##KIND##_4(TYPE x) { return exponent<int32_t>(x); }                     \
  int64_t _FortranAExponent##KIND##_8(TYPE x) { return exponent<int64_t>(x); }                     \
  TYPE _FortranAScale##KIND(TYPE x, int64_t places) { return load(x, clamp(places)); }             \
  TYPE _FortranASetExponent##KIND(TYPE x, int64_t e) { return setExponent(x, e); }                 \
  TYPE _FortranASpacing##KIND(TYPE x) { return spacing(x); }                                       \
  TYPE _FortranARRSpacing##KIND(TYPE x) { return reciprocalSpacing(x); }                           \
  TYPE _FortranANorm2_##KIND(const Descriptor *array, const char *, int, int) {                    \
    return norm<TYPE>(array);                                                                      \
  }

extern "C" {
HEDDLE_NUMERIC(4, float)
HEDDLE_NUMERIC(8, double)
float _FortranAErfcScaled4(float x) { return __nv_erfcxf(x); }
double _FortranAErfcScaled8(double x) { return __nv_erfcx(x); }

_Float16 __heddle_float2half(float x) { return static_cast<_Float16>(x); }
float __heddle_half2float(_Float16 x) { return static_cast<float>(x); }

/// Devices have no floating point exceptions that a program could see.
int32_t _FortranAMapException(int32_t) { return 0; }
void _FortranAferaiseexcept(int32_t) {}
}
