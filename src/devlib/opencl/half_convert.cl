// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cl_khr_fp16: convert_*, and vstore_half with a direction. From half the way is float, which holds every half. To half,
// all goes to a float that rounds as the value does: integers are cut to where half has no more numbers, doubles are
// rounded to odd.
#include "half.h"

static half to_rte(float x) { return (half)x; }
static half to(float x) { return (half)x; }
static half beside(half h, int step) {
  return __builtin_astype((ushort)(__builtin_astype(h, ushort) + step), half);
}
static half to_rtz(float x) {
  half h = (half)x;
  return __builtin_fabsf((float)h) > __builtin_fabsf(x) ? beside(h, -1) : h;
}
static half to_rtp(float x) {
  half h = (half)x;
  return (float)h < x ? beside(h, x > 0 ? 1 : -1) : h;
}
static half to_rtn(float x) {
  half h = (half)x;
  return (float)h > x ? beside(h, x > 0 ? -1 : 1) : h;
}

#define Beyond 131072 // twice half's infinity
INTERNAL float toFloat(float x) { return x; }
INTERNAL float toFloat(double x) {
  float near = (float)x;
  int bits = __builtin_astype(near, int);
  if (__builtin_isinf(near) && !__builtin_isinf(x))
    return x > 0 ? Beyond : -Beyond;
  if ((double)near != x && x == x && !(bits & 1))
    bits += __builtin_fabs((double)near) < __builtin_fabs(x) ? 1 : -1;
  return __builtin_astype(bits, float);
}
INTERNAL float toFloat(char x) { return x; }
INTERNAL float toFloat(uchar x) { return x; }
INTERNAL float toFloat(short x) { return x; }
INTERNAL float toFloat(ushort x) { return x; }
INTERNAL float toFloat(int x) { return x > Beyond ? Beyond : x < -Beyond ? -Beyond : x; }
INTERNAL float toFloat(long x) { return x > Beyond ? Beyond : x < -Beyond ? -Beyond : x; }
INTERNAL float toFloat(uint x) { return x > Beyond ? Beyond : x; }
INTERNAL float toFloat(ulong x) { return x > Beyond ? Beyond : x; }

#define TO_VECTOR(n, type, mode)                                                                   \
  CONST_FUNCTION half##n convert_half##n##mode(type##n x) {                                        \
    half##n r;                                                                                     \
    for (uint i = 0; i < n; ++i)                                                                   \
      r[i] = to##mode(toFloat(x[i]));                                                              \
    return r;                                                                                      \
  }
#define TO(type, mode)                                                                             \
  CONST_FUNCTION half convert_half##mode(type x) { return to##mode(toFloat(x)); }                  \
  EACH_VECTOR(TO_VECTOR, type, mode)
#define SAME(n, mode)                                                                              \
  CONST_FUNCTION half##n convert_half##n##mode(half##n x) { return x; }                            \
  CONST_FUNCTION float##n convert_float##n##mode(half##n x) { return widen(x); }
#define TO_DOUBLE(n, mode)                                                                         \
  CONST_FUNCTION double##n convert_double##n##mode(half##n x) {                                    \
    return __builtin_convertvector(x, double##n);                                                  \
  }
#define FROM(n, type, mode)                                                                        \
  CONST_FUNCTION type##n convert_##type##n##mode(float##n);                                        \
  CONST_FUNCTION type##n convert_##type##n##_sat##mode(float##n);                                  \
  CONST_FUNCTION type##n convert_##type##n##mode(half##n x) {                                      \
    return convert_##type##n##mode(widen(x));                                                      \
  }                                                                                                \
  CONST_FUNCTION type##n convert_##type##n##_sat##mode(half##n x) {                                \
    return convert_##type##n##_sat##mode(widen(x));                                                \
  }

#define MODE(mode)                                                                                 \
  TO(float, mode)                                                                                  \
  TO(double, mode)                                                                                 \
  TO(char, mode)                                                                                   \
  TO(uchar, mode)                                                                                  \
  TO(short, mode)                                                                                  \
  TO(ushort, mode)                                                                                 \
  TO(int, mode)                                                                                    \
  TO(uint, mode)                                                                                   \
  TO(long, mode)                                                                                   \
  TO(ulong, mode)                                                                                  \
  EACH_SIZE(SAME, mode)                                                                            \
  CONST_FUNCTION double convert_double##mode(half x) { return x; }                                 \
  EACH_VECTOR(TO_DOUBLE, mode)                                                                     \
  EACH_SIZE(FROM, char, mode)                                                                      \
  EACH_SIZE(FROM, uchar, mode)                                                                     \
  EACH_SIZE(FROM, short, mode)                                                                     \
  EACH_SIZE(FROM, ushort, mode)                                                                    \
  EACH_SIZE(FROM, int, mode)                                                                       \
  EACH_SIZE(FROM, uint, mode)                                                                      \
  EACH_SIZE(FROM, long, mode)                                                                      \
  EACH_SIZE(FROM, ulong, mode)
MODE()
MODE(_rte)
MODE(_rtz)
MODE(_rtp)
MODE(_rtn)

// libclc's take the least numbers for 0, whatever the direction.
#define STORE_VECTOR(n, mode, type, space, aligned, stride)                                        \
  OVERLOADABLE void vstore##aligned##_half##n##mode(type##n v, size_t i, space half *p) {          \
    for (uint k = 0; k < n; ++k)                                                                   \
      p[stride * i + k] = to##mode(toFloat(v[k]));                                                 \
  }
#define STORE_SCALAR(mode, type, space, aligned)                                                   \
  OVERLOADABLE void vstore##aligned##_half##mode(type v, size_t i, space half *p) {                \
    p[i] = to##mode(toFloat(v));                                                                   \
  }
#define STORE_SIZES(mode, type, space, aligned, stride3)                                           \
  STORE_SCALAR(mode, type, space, aligned)                                                         \
  STORE_VECTOR(2, mode, type, space, aligned, 2)                                                   \
  STORE_VECTOR(3, mode, type, space, aligned, stride3)                                             \
  STORE_VECTOR(4, mode, type, space, aligned, 4)                                                   \
  STORE_VECTOR(8, mode, type, space, aligned, 8)                                                   \
  STORE_VECTOR(16, mode, type, space, aligned, 16)
#define STORE_SPACE(mode, type, space)                                                             \
  STORE_SIZES(mode, type, space, , 3)                                                              \
  STORE_SIZES(mode, type, space, a, 4)
#define STORE(mode, type)                                                                          \
  STORE_SPACE(mode, type, global)                                                                  \
  STORE_SPACE(mode, type, local)                                                                   \
  STORE_SPACE(mode, type, private)
STORE(_rtp, float)
STORE(_rtp, double)
STORE(_rtn, float)
STORE(_rtn, double)
