// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of complex numbers, in C's names, which Flang's code calls, and its powers. A complex
// argument comes as two numbers (frontend/fortran/device_library.cpp). The formulas are those of W.
// Kahan, "Branch Cuts for Complex Elementary Functions" (1987); single precision is computed in
// double.
#include "fortran/device/device.h"

extern "C" {
double __nv_asinh(double);
double __nv_atan2(double, double);
double __nv_copysign(double, double);
double __nv_cos(double);
double __nv_cosh(double);
double __nv_exp(double);
double __nv_fabs(double);
double __nv_hypot(double, double);
double __nv_log(double);
double __nv_log1p(double);
double __nv_sin(double);
double __nv_sinh(double);
double __nv_sqrt(double);
}

namespace {

struct Complex {
  double x, y;
};

constexpr double Infinity = __builtin_inf();

Complex operator*(Complex a, Complex b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
Complex timesI(Complex z) { return {-z.y, z.x}; }
Complex overI(Complex z) { return {z.y, -z.x}; }
/// Without 0 * infinity.
double scaled(double factor, double value) { return value == 0 ? value : factor * value; }

Complex reciprocal(Complex z) { // Smith
  if (__nv_fabs(z.x) >= __nv_fabs(z.y)) {
    double ratio = z.y / z.x, whole = z.x + z.y * ratio;
    return {1 / whole, -ratio / whole};
  }
  double ratio = z.x / z.y, whole = z.x * ratio + z.y;
  return {ratio / whole, -1 / whole};
}

Complex exponential(Complex z) {
  double size = __nv_exp(z.x);
  if (z.y == 0)
    return {size, z.y};
  return {scaled(size, __nv_cos(z.y)), scaled(size, __nv_sin(z.y))};
}

/// log |z|, also where |z| is near 1.
double logSize(Complex z) {
  double x = __nv_fabs(z.x), y = __nv_fabs(z.y);
  if (x < y) {
    double swapped = x;
    x = y;
    y = swapped;
  }
  if (x > 0.5 && x < 2)
    return 0.5 * __nv_log1p((x - 1) * (x + 1) + y * y);
  return __nv_log(__nv_hypot(x, y));
}

Complex logarithm(Complex z) { return {logSize(z), __nv_atan2(z.y, z.x)}; }

Complex root(Complex z) {
  if (z.x == 0 && z.y == 0)
    return {0, z.y};
  if (__builtin_isinf(z.y))
    return {Infinity, z.y};
  double scale = 1; // far from overflow and from the denormals
  if (__nv_fabs(z.x) > 0x1p1000 || __nv_fabs(z.y) > 0x1p1000)
    scale = 0x1p-100;
  else if (__nv_fabs(z.x) < 0x1p-900 && __nv_fabs(z.y) < 0x1p-900)
    scale = 0x1p200;
  Complex w = {z.x * scale, z.y * scale};
  double half = __nv_sqrt(0.5 * (__nv_fabs(w.x) + __nv_hypot(w.x, w.y)));
  double other = __builtin_isinf(half) ? 0 : 0.5 * __nv_fabs(w.y) / half;
  double back = scale == 1 ? 1 : scale < 1 ? 0x1p50 : 0x1p-100;
  Complex result = w.x >= 0 ? Complex{half, other} : Complex{other, half};
  return {result.x * back, __nv_copysign(result.y * back, z.y)};
}

Complex hyperbolicSine(Complex z) {
  return {scaled(__nv_sinh(z.x), __nv_cos(z.y)), scaled(__nv_cosh(z.x), __nv_sin(z.y))};
}

Complex hyperbolicCosine(Complex z) {
  return {scaled(__nv_cosh(z.x), __nv_cos(z.y)), scaled(__nv_sinh(z.x), __nv_sin(z.y))};
}

Complex hyperbolicTangent(Complex z) {
  if (__nv_fabs(z.x) > 22) // sinh is half of exp, and its square beyond all others
    return {__nv_copysign(1, z.x),
            4 * __nv_sin(z.y) * __nv_cos(z.y) * __nv_exp(-2 * __nv_fabs(z.x))};
  double sine = __nv_sin(z.y), cosine = __nv_cos(z.y);
  double sinh = __nv_sinh(z.x), cosh = __nv_cosh(z.x);
  double whole = cosine * cosine + sinh * sinh;
  return {sinh * cosh / whole, sine * cosine / whole};
}

Complex arcSine(Complex z) {
  Complex below = root({1 - z.x, -z.y}), above = root({1 + z.x, z.y});
  return {__nv_atan2(z.x, (below * above).x), __nv_asinh((Complex{below.x, -below.y} * above).y)};
}

Complex arcCosine(Complex z) {
  Complex below = root({1 - z.x, -z.y}), above = root({1 + z.x, z.y});
  return {2 * __nv_atan2(below.x, above.x), __nv_asinh((Complex{above.x, -above.y} * below).y)};
}

Complex areaHyperbolicCosine(Complex z) {
  Complex below = root({z.x - 1, z.y}), above = root({z.x + 1, z.y});
  return {__nv_asinh((Complex{below.x, -below.y} * above).x), 2 * __nv_atan2(below.y, above.x)};
}

Complex areaHyperbolicTangent(Complex z) {
  double x = __nv_fabs(z.x);
  double real = 0.25 * __nv_log1p(4 * x / ((1 - x) * (1 - x) + z.y * z.y));
  if (__nv_hypot(x, z.y) > 0x1p500)
    real = 0;
  return {__nv_copysign(real, z.x), 0.5 * __nv_atan2(2 * z.y, (1 - x) * (1 + x) - z.y * z.y)};
}

Complex sine(Complex z) { return overI(hyperbolicSine(timesI(z))); }
Complex cosine(Complex z) { return hyperbolicCosine(timesI(z)); }
Complex tangent(Complex z) { return overI(hyperbolicTangent(timesI(z))); }
Complex areaHyperbolicSine(Complex z) { return overI(arcSine(timesI(z))); }
Complex arcTangent(Complex z) { return overI(areaHyperbolicTangent(timesI(z))); }

Complex power(Complex base, Complex exponent) {
  if (base.x == 0 && base.y == 0)
    return {exponent.x == 0 && exponent.y == 0 ? 1.0 : 0.0, 0};
  return exponential(exponent * logarithm(base));
}

Complex integerPower(Complex base, int64_t exponent) {
  bool isNegative = exponent < 0;
  auto rest = isNegative ? 0 - static_cast<uint64_t>(exponent) : static_cast<uint64_t>(exponent);
  Complex result = {1, 0};
  for (; rest; rest >>= 1, base = base * base)
    if (rest & 1)
      result = result * base;
  return isNegative ? reciprocal(result) : result;
}

using Single = _Complex float;
using Double = _Complex double;

Single toSingle(Complex z) {
  Single result;
  __real__ result = static_cast<float>(z.x);
  __imag__ result = static_cast<float>(z.y);
  return result;
}

Double toDouble(Complex z) {
  Double result;
  __real__ result = z.x;
  __imag__ result = z.y;
  return result;
}

} // namespace

#define HEDDLE_COMPLEX(NAME, FUNCTION)                                                             \
  Single NAME##f(float x, float y) { return toSingle(FUNCTION({x, y})); }                          \
  Double NAME(double x, double y) { return toDouble(FUNCTION({x, y})); }

extern "C" {
HEDDLE_COMPLEX(cexp, exponential)
HEDDLE_COMPLEX(clog, logarithm)
HEDDLE_COMPLEX(csqrt, root)
HEDDLE_COMPLEX(csin, sine)
HEDDLE_COMPLEX(ccos, cosine)
HEDDLE_COMPLEX(ctan, tangent)
HEDDLE_COMPLEX(csinh, hyperbolicSine)
HEDDLE_COMPLEX(ccosh, hyperbolicCosine)
HEDDLE_COMPLEX(ctanh, hyperbolicTangent)
HEDDLE_COMPLEX(casin, arcSine)
HEDDLE_COMPLEX(cacos, arcCosine)
HEDDLE_COMPLEX(catan, arcTangent)
HEDDLE_COMPLEX(casinh, areaHyperbolicSine)
HEDDLE_COMPLEX(cacosh, areaHyperbolicCosine)
HEDDLE_COMPLEX(catanh, areaHyperbolicTangent)

float cabsf(float x, float y) {
  return static_cast<float>(__nv_sqrt(double(x) * x + double(y) * y));
}
double cabs(double x, double y) { return __nv_hypot(x, y); }
float cargf(float x, float y) { return static_cast<float>(__nv_atan2(y, x)); }
double carg(double x, double y) { return __nv_atan2(y, x); }

Single cpowf(float x, float y, float u, float v) { return toSingle(power({x, y}, {u, v})); }
Double cpow(double x, double y, double u, double v) { return toDouble(power({x, y}, {u, v})); }

Single _FortranAcpowi(float x, float y, int exponent) {
  return toSingle(integerPower({x, y}, exponent));
}
Single _FortranAcpowk(float x, float y, int64_t exponent) {
  return toSingle(integerPower({x, y}, exponent));
}
Double _FortranAzpowi(double x, double y, int exponent) {
  return toDouble(integerPower({x, y}, exponent));
}
Double _FortranAzpowk(double x, double y, int64_t exponent) {
  return toDouble(integerPower({x, y}, exponent));
}
}
