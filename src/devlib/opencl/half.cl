// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cl_khr_fp16: mathematics, common, geometric and relational functions of halves; vloadn, vstoren, shuffles.
#include "half.h"

#define BITS(n, x) __builtin_astype(x, ushort##n)

// name of one, two and three halves by that of floats.
#define OF1(n, name)                                                                               \
  CONST_FUNCTION float##n name(float##n);                                                          \
  CONST_FUNCTION half##n name(half##n x) { return narrow(name(widen(x))); }
#define OF2(n, name)                                                                               \
  CONST_FUNCTION float##n name(float##n, float##n);                                                \
  CONST_FUNCTION half##n name(half##n x, half##n y) { return narrow(name(widen(x), widen(y))); }
#define OF3(n, name)                                                                               \
  CONST_FUNCTION float##n name(float##n, float##n, float##n);                                      \
  CONST_FUNCTION half##n name(half##n x, half##n y, half##n z) {                                   \
    return narrow(name(widen(x), widen(y), widen(z)));                                             \
  }
#define WITH_INT(n, name)                                                                          \
  CONST_FUNCTION float##n name(float##n, int##n);                                                  \
  CONST_FUNCTION half##n name(half##n x, int##n y) { return narrow(name(widen(x), y)); }

EACH_SIZE(OF1, acos)
EACH_SIZE(OF1, acosh)
EACH_SIZE(OF1, acospi)
EACH_SIZE(OF1, asin)
EACH_SIZE(OF1, asinh)
EACH_SIZE(OF1, asinpi)
EACH_SIZE(OF1, atan)
EACH_SIZE(OF1, atanh)
EACH_SIZE(OF1, atanpi)
EACH_SIZE(OF1, cbrt)
EACH_SIZE(OF1, ceil)
EACH_SIZE(OF1, cos)
EACH_SIZE(OF1, cosh)
EACH_SIZE(OF1, cospi)
EACH_SIZE(OF1, degrees)
EACH_SIZE(OF1, erf)
EACH_SIZE(OF1, erfc)
EACH_SIZE(OF1, exp)
EACH_SIZE(OF1, exp10)
EACH_SIZE(OF1, exp2)
EACH_SIZE(OF1, expm1)
EACH_SIZE(OF1, floor)
EACH_SIZE(OF1, lgamma)
EACH_SIZE(OF1, log)
EACH_SIZE(OF1, log10)
EACH_SIZE(OF1, log1p)
EACH_SIZE(OF1, log2)
EACH_SIZE(OF1, logb)
EACH_SIZE(OF1, radians)
EACH_SIZE(OF1, rint)
EACH_SIZE(OF1, round)
EACH_SIZE(OF1, rsqrt)
EACH_SIZE(OF1, sign)
EACH_SIZE(OF1, sin)
EACH_SIZE(OF1, sinh)
EACH_SIZE(OF1, sinpi)
EACH_SIZE(OF1, sqrt)
EACH_SIZE(OF1, tan)
EACH_SIZE(OF1, tanh)
EACH_SIZE(OF1, tanpi)
EACH_SIZE(OF1, tgamma)
EACH_SIZE(OF1, trunc)
EACH_SIZE(OF2, atan2)
EACH_SIZE(OF2, atan2pi)
EACH_SIZE(OF2, fdim)
EACH_SIZE(OF2, fmax)
EACH_SIZE(OF2, fmin)
EACH_SIZE(OF2, fmod)
EACH_SIZE(OF2, hypot)
EACH_SIZE(OF2, max)
EACH_SIZE(OF2, maxmag)
EACH_SIZE(OF2, min)
EACH_SIZE(OF2, minmag)
EACH_SIZE(OF2, pow)
EACH_SIZE(OF2, powr)
EACH_SIZE(OF2, remainder)
EACH_SIZE(OF2, step)
EACH_SIZE(OF3, clamp)
EACH_SIZE(OF3, mix)
EACH_SIZE(OF3, smoothstep)
EACH_SIZE(WITH_INT, ldexp)
EACH_SIZE(WITH_INT, pown)
EACH_SIZE(WITH_INT, rootn)

// Those with a scalar beside vectors.
#define SCALARS(n, _)                                                                              \
  CONST_FUNCTION half##n fmax(half##n x, half y) { return fmax(x, (half##n)(y)); }                 \
  CONST_FUNCTION half##n fmin(half##n x, half y) { return fmin(x, (half##n)(y)); }                 \
  CONST_FUNCTION half##n max(half##n x, half y) { return max(x, (half##n)(y)); }                   \
  CONST_FUNCTION half##n min(half##n x, half y) { return min(x, (half##n)(y)); }                   \
  CONST_FUNCTION half##n step(half e, half##n x) { return step((half##n)(e), x); }                 \
  CONST_FUNCTION half##n mix(half##n x, half##n y, half a) { return mix(x, y, (half##n)(a)); }     \
  CONST_FUNCTION half##n clamp(half##n x, half l, half h) {                                        \
    return clamp(x, (half##n)(l), (half##n)(h));                                                   \
  }                                                                                                \
  CONST_FUNCTION half##n smoothstep(half l, half h, half##n x) {                                   \
    return smoothstep((half##n)(l), (half##n)(h), x);                                              \
  }                                                                                                \
  CONST_FUNCTION half##n ldexp(half##n x, int e) { return ldexp(x, (int##n)(e)); }
EACH_VECTOR(SCALARS, )

/// Rounded once: the sum of floats is rounded to odd.
static half fuse(half x, half y, half z) {
  float p = (float)x * (float)y, c = z, sum = p + c;
  float part = sum - p, error = (p - (sum - part)) + (c - part);
  int bits = __builtin_astype(sum, int);
  if (error != 0 && __builtin_isfinite(sum) && !(bits & 1))
    bits += (error > 0) == (sum > 0) ? 1 : -1;
  return (half)__builtin_astype(bits, float);
}
static half next(half x, half y) {
  ushort bits = BITS(, x);
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return __builtin_astype((ushort)(y > 0 ? 1 : 0x8001), half);
  return __builtin_astype((ushort)((x < y) == (x > 0) ? bits + 1 : bits - 1), half);
}
CONST_FUNCTION half fma(half x, half y, half z) { return fuse(x, y, z); }
CONST_FUNCTION half nextafter(half x, half y) { return next(x, y); }
#define ELEMENTS(n, _)                                                                             \
  CONST_FUNCTION half##n fma(half##n x, half##n y, half##n z) {                                    \
    half##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = fuse(x[i], y[i], z[i]);                                                               \
    return r;                                                                                      \
  }                                                                                                \
  CONST_FUNCTION half##n nextafter(half##n x, half##n y) {                                         \
    half##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = next(x[i], y[i]);                                                                     \
    return r;                                                                                      \
  }
EACH_VECTOR(ELEMENTS, )

#define PLAIN(n, _)                                                                                \
  CONST_FUNCTION half##n mad(half##n x, half##n y, half##n z) { return x * y + z; }                \
  CONST_FUNCTION half##n fabs(half##n x) {                                                         \
    return __builtin_astype((ushort##n)(BITS(n, x) & (ushort##n)(0x7fff)), half##n);               \
  }                                                                                                \
  CONST_FUNCTION half##n copysign(half##n x, half##n y) {                                          \
    return __builtin_astype((ushort##n)((BITS(n, x) & (ushort##n)(0x7fff)) |                       \
                                        (BITS(n, y) & (ushort##n)(0x8000))),                       \
                            half##n);                                                              \
  }                                                                                                \
  CONST_FUNCTION half##n nan(ushort##n code) {                                                     \
    return __builtin_astype((ushort##n)(code | (ushort##n)(0x7e00)), half##n);                     \
  }                                                                                                \
  CONST_FUNCTION int##n ilogb(float##n);                                                           \
  CONST_FUNCTION int##n ilogb(half##n x) { return ilogb(widen(x)); }                               \
  CONST_FUNCTION half##n bitselect(half##n x, half##n y, half##n which) {                          \
    return __builtin_astype(                                                                       \
        (ushort##n)((BITS(n, x) & ~BITS(n, which)) | (BITS(n, y) & BITS(n, which))), half##n);     \
  }
EACH_SIZE(PLAIN, )

// Those with a second result.
#define POINTERS_IN(n, space)                                                                      \
  OVERLOADABLE half##n sincos(half##n x, space half##n *c) {                                       \
    *c = cos(x);                                                                                   \
    return sin(x);                                                                                 \
  }                                                                                                \
  OVERLOADABLE half##n modf(half##n x, space half##n *whole) {                                     \
    *whole = trunc(x);                                                                             \
    half##n rest = __builtin_astype((ushort##n)(BITS(n, x) & (ushort##n)(0x7fff)), half##n) ==     \
                           __builtin_astype((ushort##n)(0x7c00), half##n)                          \
                       ? (half##n)(0)                                                              \
                       : x - *whole;                                                               \
    return copysign(rest, x);                                                                      \
  }                                                                                                \
  OVERLOADABLE float##n fract(float##n, float##n *);                                               \
  OVERLOADABLE half##n fract(half##n x, space half##n *whole) {                                    \
    float##n down;                                                                                 \
    half##n rest = narrow(fract(widen(x), &down));                                                 \
    half##n most = __builtin_astype((ushort##n)(0x3bff), half##n);                                 \
    *whole = narrow(down);                                                                         \
    return rest > most ? most : rest;                                                              \
  }                                                                                                \
  OVERLOADABLE float##n frexp(float##n, int##n *);                                                 \
  OVERLOADABLE half##n frexp(half##n x, space int##n *e) {                                         \
    int##n exponent;                                                                               \
    half##n r = narrow(frexp(widen(x), &exponent));                                                \
    *e = exponent;                                                                                 \
    return r;                                                                                      \
  }                                                                                                \
  OVERLOADABLE float##n lgamma_r(float##n, int##n *);                                              \
  OVERLOADABLE half##n lgamma_r(half##n x, space int##n *s) {                                      \
    int##n sign;                                                                                   \
    half##n r = narrow(lgamma_r(widen(x), &sign));                                                 \
    *s = sign;                                                                                     \
    return r;                                                                                      \
  }                                                                                                \
  OVERLOADABLE float##n remquo(float##n, float##n, int##n *);                                      \
  OVERLOADABLE half##n remquo(half##n x, half##n y, space int##n *q) {                             \
    int##n quotient;                                                                               \
    half##n r = narrow(remquo(widen(x), widen(y), &quotient));                                     \
    *q = quotient;                                                                                 \
    return r;                                                                                      \
  }
EACH_SIZE(POINTERS_IN, __generic)
EACH_SIZE(POINTERS_IN, __global)
EACH_SIZE(POINTERS_IN, __local)

// A truth is an int of a scalar, and a short of a vector.
#define TRUTHS(n, truth)                                                                           \
  CONST_FUNCTION truth isequal(half##n x, half##n y) { return x == y; }                            \
  CONST_FUNCTION truth isnotequal(half##n x, half##n y) { return x != y; }                         \
  CONST_FUNCTION truth isgreater(half##n x, half##n y) { return x > y; }                           \
  CONST_FUNCTION truth isgreaterequal(half##n x, half##n y) { return x >= y; }                     \
  CONST_FUNCTION truth isless(half##n x, half##n y) { return x < y; }                              \
  CONST_FUNCTION truth islessequal(half##n x, half##n y) { return x <= y; }                        \
  CONST_FUNCTION truth islessgreater(half##n x, half##n y) { return x < y || x > y; }              \
  CONST_FUNCTION truth isordered(half##n x, half##n y) { return x == x && y == y; }                \
  CONST_FUNCTION truth isunordered(half##n x, half##n y) { return x != x || y != y; }              \
  CONST_FUNCTION truth isnan(half##n x) { return x != x; }                                         \
  CONST_FUNCTION truth isinf(half##n x) { return BITS(n, fabs(x)) == (ushort##n)(0x7c00); }        \
  CONST_FUNCTION truth isfinite(half##n x) { return BITS(n, fabs(x)) < (ushort##n)(0x7c00); }      \
  CONST_FUNCTION truth isnormal(half##n x) {                                                       \
    return BITS(n, fabs(x)) < (ushort##n)(0x7c00) && BITS(n, fabs(x)) >= (ushort##n)(0x0400);      \
  }                                                                                                \
  CONST_FUNCTION truth signbit(half##n x) { return BITS(n, x) >= (ushort##n)(0x8000); }
#define VECTOR_TRUTHS(n, _) TRUTHS(n, short##n)
TRUTHS(, int)
EACH_VECTOR(VECTOR_TRUTHS, )

CONST_FUNCTION half select(half x, half y, short which) { return which ? y : x; }
CONST_FUNCTION half select(half x, half y, ushort which) { return which ? y : x; }
#define SELECT(n, _)                                                                               \
  CONST_FUNCTION half##n select(half##n x, half##n y, short##n which) {               \
    return which < (short##n)(0) ? y : x;                                                          \
  }                                                                                                \
  CONST_FUNCTION half##n select(half##n x, half##n y, ushort##n which) {                           \
    return which >= (ushort##n)(0x8000) ? y : x;                                                   \
  }
EACH_VECTOR(SELECT, )

#define GEOMETRY(n, _)                                                                             \
  CONST_FUNCTION float dot(float##n, float##n);                                                    \
  CONST_FUNCTION float length(float##n);                                                           \
  CONST_FUNCTION float distance(float##n, float##n);                                               \
  CONST_FUNCTION float##n normalize(float##n);                                                     \
  CONST_FUNCTION half dot(half##n x, half##n y) { return narrow(dot(widen(x), widen(y))); }        \
  CONST_FUNCTION half length(half##n x) { return narrow(length(widen(x))); }                       \
  CONST_FUNCTION half distance(half##n x, half##n y) {                                             \
    return narrow(distance(widen(x), widen(y)));                                                   \
  }                                                                                                \
  CONST_FUNCTION half##n normalize(half##n x) { return narrow(normalize(widen(x))); }
GEOMETRY(, )
GEOMETRY(2, )
GEOMETRY(3, )
GEOMETRY(4, )
OF2(3, cross)
OF2(4, cross)

// In memory a vector is aligned as a half. One of three is three halves.
#define PACKED(n) typedef half##n Packed##n __attribute__((aligned(2)));
PACKED(2)
PACKED(4)
PACKED(8)
PACKED(16)
#define LOAD(n, space)                                                                             \
  __attribute__((overloadable, pure)) half##n vload##n(size_t i, const space half *p) {            \
    return *(const space Packed##n *)(p + n * i);                                                  \
  }
#define STORE(n, space)                                                                            \
  OVERLOADABLE void vstore##n(half##n v, size_t i, space half *p) {                                \
    *(space Packed##n *)(p + n * i) = v;                                                           \
  }
#define LOADS(space)                                                                               \
  LOAD(2, space)                                                                                   \
  LOAD(4, space)                                                                                   \
  LOAD(8, space)                                                                                   \
  LOAD(16, space)                                                                                  \
  __attribute__((overloadable, pure)) half3 vload3(size_t i, const space half *p) {                \
    return (half3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]);                                          \
  }
#define STORES(space)                                                                              \
  STORE(2, space)                                                                                  \
  STORE(4, space)                                                                                  \
  STORE(8, space)                                                                                  \
  STORE(16, space)                                                                                 \
  OVERLOADABLE void vstore3(half3 v, size_t i, space half *p) {                                    \
    p[3 * i] = v.x;                                                                                \
    p[3 * i + 1] = v.y;                                                                            \
    p[3 * i + 2] = v.z;                                                                            \
  }
LOADS(__generic)
LOADS(__global)
LOADS(__local)
LOADS(__constant)
STORES(__generic)
STORES(__global)
STORES(__local)

// Moved as shorts.
#define COPIES(n, _)                                                                               \
  OVERLOADABLE event_t async_work_group_copy(local short##n *, const global short##n *, size_t, event_t); \
  OVERLOADABLE event_t async_work_group_copy(global short##n *, const local short##n *, size_t, event_t); \
  OVERLOADABLE event_t async_work_group_strided_copy(local short##n *, const global short##n *,    \
                                                     size_t, size_t, event_t);                     \
  OVERLOADABLE event_t async_work_group_strided_copy(global short##n *, const local short##n *,    \
                                                     size_t, size_t, event_t);                     \
  CONVERGENT event_t async_work_group_copy(local half##n *to, const global half##n *from,          \
                                           size_t count, event_t e) {                              \
    return async_work_group_copy((local short##n *)to, (const global short##n *)from, count, e);   \
  }                                                                                                \
  CONVERGENT event_t async_work_group_copy(global half##n *to, const local half##n *from,          \
                                           size_t count, event_t e) {                              \
    return async_work_group_copy((global short##n *)to, (const local short##n *)from, count, e);   \
  }                                                                                                \
  CONVERGENT event_t async_work_group_strided_copy(local half##n *to, const global half##n *from,  \
                                                   size_t count, size_t stride, event_t e) {       \
    return async_work_group_strided_copy((local short##n *)to, (const global short##n *)from,      \
                                         count, stride, e);                                        \
  }                                                                                                \
  CONVERGENT event_t async_work_group_strided_copy(global half##n *to, const local half##n *from,  \
                                                   size_t count, size_t stride, event_t e) {       \
    return async_work_group_strided_copy((global short##n *)to, (const local short##n *)from,      \
                                         count, stride, e);                                        \
  }                                                                                                \
  OVERLOADABLE void prefetch(const global half##n *p, size_t count) {}
EACH_SIZE(COPIES, )

#define SHUFFLE(m, n)                                                                              \
  CONST_FUNCTION ushort##n shuffle(ushort##m, ushort##n);                                          \
  CONST_FUNCTION ushort##n shuffle2(ushort##m, ushort##m, ushort##n);                              \
  CONST_FUNCTION half##n shuffle(half##m x, ushort##n which) {                                     \
    return __builtin_astype(shuffle(BITS(m, x), which), half##n);                                  \
  }                                                                                                \
  CONST_FUNCTION half##n shuffle2(half##m x, half##m y, ushort##n which) {                         \
    return __builtin_astype(shuffle2(BITS(m, x), BITS(m, y), which), half##n);                     \
  }
#define SHUFFLES(m) SHUFFLE(m, 2) SHUFFLE(m, 4) SHUFFLE(m, 8) SHUFFLE(m, 16)
SHUFFLES(2)
SHUFFLES(4)
SHUFFLES(8)
SHUFFLES(16)
