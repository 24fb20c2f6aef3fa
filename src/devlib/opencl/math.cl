// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C, "Math Functions": those of CUDA's (src/devlib), whose bounds are narrower than OpenCL's ("Relative Error as
// ULPs"). A vector's elements are computed one by one: simt makes vectors of them over the threads. Others are libclc's.
#include "builtins.h"

#define DEVICE(name, type, ...) __attribute__((const, nothrow)) type name(__VA_ARGS__);

// name of a type and a vector of it, from the scalar function.
#define UNARY_VECTOR(name, type, n)                                                                \
  CONST_FUNCTION type##n name(type##n x) {                                                         \
    type##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = name(x[i]);                                                                           \
    return r;                                                                                      \
  }
#define UNARY_VECTOR3(name, type)                                                                  \
  CONST_FUNCTION type##3 name(type##3 x) { return (type##3)(name(x.x), name(x.y), name(x.z)); }
#define UNARY_VECTORS(name, type)                                                                  \
  UNARY_VECTOR(name, type, 2)                                                                      \
  UNARY_VECTOR3(name, type)                                                                        \
  UNARY_VECTOR(name, type, 4)                                                                      \
  UNARY_VECTOR(name, type, 8)                                                                      \
  UNARY_VECTOR(name, type, 16)
#define UNARY(name, type, scalar)                                                                  \
  DEVICE(scalar, type, type)                                                                       \
  CONST_FUNCTION type name(type x) { return scalar(x); }                                           \
  UNARY_VECTORS(name, type)

#define BINARY_VECTOR(name, type, n)                                                               \
  CONST_FUNCTION type##n name(type##n x, type##n y) {                                              \
    type##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = name(x[i], y[i]);                                                                     \
    return r;                                                                                      \
  }
#define BINARY_VECTORS(name, type)                                                                 \
  BINARY_VECTOR(name, type, 2)                                                                     \
  CONST_FUNCTION type##3 name(type##3 x, type##3 y) {                                              \
    return (type##3)(name(x.x, y.x), name(x.y, y.y), name(x.z, y.z));                              \
  }                                                                                                \
  BINARY_VECTOR(name, type, 4)                                                                     \
  BINARY_VECTOR(name, type, 8)                                                                     \
  BINARY_VECTOR(name, type, 16)
#define BINARY(name, type, scalar)                                                                 \
  DEVICE(scalar, type, type, type)                                                                 \
  CONST_FUNCTION type name(type x, type y) { return scalar(x, y); }                                \
  BINARY_VECTORS(name, type)

#define BOTH(kind, name) kind(name, float, __nv_##name##f) kind(name, double, __nv_##name)

BOTH(UNARY, acos)
BOTH(UNARY, acosh)
BOTH(UNARY, asin)
BOTH(UNARY, asinh)
BOTH(UNARY, atan)
BOTH(UNARY, atanh)
BOTH(UNARY, cbrt)
BOTH(UNARY, cos)
BOTH(UNARY, cosh)
BOTH(UNARY, cospi)
BOTH(UNARY, erf)
BOTH(UNARY, erfc)
BOTH(UNARY, exp)
BOTH(UNARY, exp10)
BOTH(UNARY, exp2)
BOTH(UNARY, expm1)
BOTH(UNARY, lgamma)
BOTH(UNARY, log)
BOTH(UNARY, log10)
BOTH(UNARY, log1p)
BOTH(UNARY, log2)
BOTH(UNARY, sin)
BOTH(UNARY, sinh)
BOTH(UNARY, sinpi)
BOTH(UNARY, tan)
BOTH(UNARY, tanh)
BOTH(UNARY, tgamma)
BOTH(BINARY, atan2)
BOTH(BINARY, fmod)
BOTH(BINARY, hypot)
BOTH(BINARY, pow)
BOTH(BINARY, remainder)

// Of numbers that are not negative, and undefined where exp2(y * log2(x)) is.
#define POWR(type)                                                                                 \
  CONST_FUNCTION type powr(type x, type y) {                                                       \
    bool isDefined = x >= 0 && y == y && (y != 0 || (x != 0 && !__builtin_isinf(x))) &&            \
                     (x != 1 || !__builtin_isinf(y));                                              \
    return isDefined ? pow(x == 0 ? 0 : x, y) : (type)__builtin_nanf("");                          \
  }                                                                                                \
  BINARY_VECTORS(powr, type)
POWR(float)
POWR(double)

// tan(pi r) of r up to a quarter: of a float an interpolation at Chebyshev's points, with an error of 1e-8.
static OVERLOADABLE float slope(float r) {
  const float terms[] = {0x1.ae3954p16f, 0x1.ae3954p11f, 0x1.6e5ceap11f, 0x1.4240dp9f,
                         0x1.462882p7f,  0x1.466b22p5f,  0x1.4abbcep3f};
  float square = r * r, sum = 0;
  for (uint i = 0; i < 7; ++i)
    sum = __builtin_fmaf(sum, square, terms[i]);
  return __builtin_fmaf(r, 0x1.921fb6p1f, r * __builtin_fmaf(sum, square, -0x1.777a5dp-24f));
}
static OVERLOADABLE double slope(double r) { return tan(r * 0x1.921fb54442d18p1); }

// Angles in halves of a turn. A quotient keeps the sign of a zero; the tangent of odd numbers has the other one.
#define TURNS(type, pi)                                                                            \
  CONST_FUNCTION type asinpi(type x) { return asin(x) / pi; }                                      \
  CONST_FUNCTION type atanpi(type x) { return atan(x) / pi; }                                      \
  CONST_FUNCTION type atan2pi(type y, type x) { return atan2(y, x) / pi; }                         \
  CONST_FUNCTION type rint(type);                                                                  \
  CONST_FUNCTION type copysign(type, type);                                                        \
  CONST_FUNCTION type tanpi(type x) {                                                              \
    type rest = x - rint(x), size = copysign(rest, 1), middle = x / 2;                             \
    bool isSteep = size > (type)0.25, isOdd = rest == 0 && middle != rint(middle);                 \
    type tangent = slope(isSteep ? (type)0.5 - size : size);                                       \
    return copysign(isSteep ? 1 / tangent : tangent, rest != 0 ? rest : isOdd ? -x : x);           \
  }                                                                                                \
  UNARY_VECTORS(asinpi, type)                                                                      \
  UNARY_VECTORS(atanpi, type)                                                                      \
  BINARY_VECTORS(atan2pi, type)                                                                    \
  UNARY_VECTORS(tanpi, type)
TURNS(float, 0x1.921fb6p1f)
TURNS(double, 0x1.921fb54442d18p1)

// In double, subnormal roots and the roots of subnormal numbers are normal.
CONST_FUNCTION float rootn(float x, int n) {
  double root = exp2(log2((double)__builtin_fabsf(x)) / n);
  bool isOdd = n & 1, isDefined = n != 0 && (isOdd || !(x < 0));
  return isDefined ? __builtin_copysignf((float)root, isOdd ? x : 1) : __builtin_nanf("");
}
/// By elements, of numbers and integers.
#define WITH_INTEGERS(function, type, n)                                                           \
  CONST_FUNCTION type##n function(type##n x, int##n k) {                                           \
    type##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = function(x[i], k[i]);                                                                 \
    return r;                                                                                      \
  }
#define ROOTS(n, _) WITH_INTEGERS(rootn, float, n)
EACH_VECTOR(ROOTS, )

// The quotient's last seven bits. Each subtraction is exact: what is taken off lies between half of the rest and all of it.
static float divide(float x, float y, int *quotient) {
  double unit = __builtin_fabs((double)y), rest = fmod(__builtin_fabs((double)x), 128 * unit);
  int q = 0;
  for (int multiple = 64; multiple; multiple >>= 1)
    if (rest >= multiple * unit) {
      rest -= multiple * unit;
      q += multiple;
    }
  if (rest > unit - rest || (rest == unit - rest && (q & 1))) {
    rest -= unit;
    q += 1;
  }
  q &= 127;
  *quotient = __builtin_signbitf(x) != __builtin_signbitf(y) ? -q : q;
  return (float)(__builtin_signbitf(x) ? -rest : rest);
}
#define DIVIDE(n, space)                                                                           \
  OVERLOADABLE float##n remquo(float##n x, float##n y, space int##n *quotients) {                  \
    float##n r;                                                                                    \
    int##n q;                                                                                      \
    for (uint i = 0; i < n; ++i) {                                                                 \
      int one;                                                                                     \
      r[i] = divide(x[i], y[i], &one);                                                             \
      q[i] = one;                                                                                  \
    }                                                                                              \
    *quotients = q;                                                                                \
    return r;                                                                                      \
  }
#define DIVIDE_IN(space)                                                                           \
  OVERLOADABLE float remquo(float x, float y, space int *quotient) {                               \
    int one;                                                                                       \
    float r = divide(x, y, &one);                                                                  \
    *quotient = one;                                                                               \
    return r;                                                                                      \
  }                                                                                                \
  EACH_VECTOR(DIVIDE, space)
DIVIDE_IN(__generic)
DIVIDE_IN(__global)
DIVIDE_IN(__local)

#define LDEXP_VECTOR(type, n)                                                                      \
  WITH_INTEGERS(ldexp, type, n)                                                                    \
  CONST_FUNCTION type##n ldexp(type##n x, int e) { return ldexp(x, (int##n)(e)); }
#define LDEXP(type, scalar)                                                                        \
  DEVICE(scalar, type, type, int)                                                                  \
  CONST_FUNCTION type ldexp(type x, int e) { return scalar(x, e); }                                \
  LDEXP_VECTOR(type, 2)                                                                            \
  LDEXP_VECTOR(type, 3)                                                                            \
  LDEXP_VECTOR(type, 4)                                                                            \
  LDEXP_VECTOR(type, 8)                                                                            \
  LDEXP_VECTOR(type, 16)
LDEXP(float, __nv_ldexpf)
LDEXP(double, __nv_ldexp)

UNARY(native_cos, float, __nv_fast_cosf)
UNARY(native_exp, float, __nv_fast_expf)
UNARY(native_exp10, float, __nv_fast_exp10f)
UNARY(native_log, float, __nv_fast_logf)
UNARY(native_log10, float, __nv_fast_log10f)
UNARY(native_log2, float, __nv_fast_log2f)
UNARY(native_rsqrt, float, __nv_rsqrtf)
UNARY(native_sin, float, __nv_fast_sinf)
UNARY(native_tan, float, __nv_fast_tanf)
BINARY(native_powr, float, __nv_fast_powf)

#define SINCOS(type, space)                                                                        \
  OVERLOADABLE type sincos(type x, space type *c) {                                                \
    *c = cos(x);                                                                                   \
    return sin(x);                                                                                 \
  }
#define SINCOS_IN(space, type)                                                                     \
  SINCOS(type, space)                                                                              \
  SINCOS(type##2, space)                                                                           \
  SINCOS(type##3, space)                                                                           \
  SINCOS(type##4, space)                                                                           \
  SINCOS(type##8, space)                                                                           \
  SINCOS(type##16, space)
SINCOS_IN(__generic, float)
SINCOS_IN(__global, float)
SINCOS_IN(__local, float)
SINCOS_IN(__generic, double)
SINCOS_IN(__global, double)
SINCOS_IN(__local, double)
