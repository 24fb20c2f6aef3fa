// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bfloat16 numbers: types, conversions and bit patterns; the functions are in
// heddle/small_float.inc (CUDA math API, "Bfloat16 Precision"). Host and device.
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H
#define __CUDA_BF16_H__

#if defined(__cplusplus)
#include "heddle/small_float.h"

#include <math.h>

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__
#define HEDDLE_MEMBER __host__ __device__ __forceinline__

/// Converts from every arithmetic type with one rounding to nearest, and to float; from there C++
/// goes on.
struct __attribute__((aligned(2))) __nv_bfloat16 {
  __nv_bfloat16() = default;
  HEDDLE_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x) {}
  HEDDLE_MEMBER __nv_bfloat16(float v) : __x(__heddle_to_bfloat16(v, __heddle_nearest)) {}
  HEDDLE_MEMBER __nv_bfloat16(double v)
      : __x(__heddle_to_bfloat16(__heddle_odd(v), __heddle_nearest)) {}
  HEDDLE_MEMBER __nv_bfloat16(short v) : __nv_bfloat16((long long)v) {}
  HEDDLE_MEMBER __nv_bfloat16(unsigned short v) : __nv_bfloat16((long long)v) {}
  HEDDLE_MEMBER __nv_bfloat16(int v) : __nv_bfloat16((long long)v) {}
  HEDDLE_MEMBER __nv_bfloat16(unsigned v) : __nv_bfloat16((long long)v) {}
  HEDDLE_MEMBER __nv_bfloat16(long v) : __nv_bfloat16((long long)v) {}
  HEDDLE_MEMBER __nv_bfloat16(unsigned long v) : __nv_bfloat16((unsigned long long)v) {}
  HEDDLE_MEMBER __nv_bfloat16(long long v)
      : __x(__heddle_to_bfloat16(__heddle_odd_integer(v), __heddle_nearest)) {}
  HEDDLE_MEMBER __nv_bfloat16(unsigned long long v)
      : __x(__heddle_to_bfloat16(__heddle_odd_integer(v, false), __heddle_nearest)) {}
  HEDDLE_MEMBER operator float() const { return __heddle_from_bfloat16(__x); }
  HEDDLE_MEMBER operator __nv_bfloat16_raw() const {
    __nv_bfloat16_raw r;
    r.x = __x;
    return r;
  }

  unsigned short __x;
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat162() = default;
  HEDDLE_MEMBER __nv_bfloat162(const __nv_bfloat16 &a, const __nv_bfloat16 &b) : x(a), y(b) {}
  HEDDLE_MEMBER __nv_bfloat162(const __nv_bfloat162_raw &raw) {
    x.__x = raw.x;
    y.__x = raw.y;
  }
  HEDDLE_MEMBER operator __nv_bfloat162_raw() const {
    __nv_bfloat162_raw r;
    r.x = x.__x, r.y = y.__x;
    return r;
  }

  __nv_bfloat16 x, y;
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Bit patterns
HEDDLE_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short b) {
  __nv_bfloat16 r;
  r.__x = b;
  return r;
}
HEDDLE_HD __nv_bfloat16 __short_as_bfloat16(short b) {
  return __ushort_as_bfloat16((unsigned short)b);
}
HEDDLE_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 h) { return h.__x; }
HEDDLE_HD short __bfloat16_as_short(__nv_bfloat16 h) { return (short)h.__x; }

// From and to float and double
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rn(float f) {
  return __ushort_as_bfloat16(__heddle_to_bfloat16(f, __heddle_nearest));
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rz(float f) {
  return __ushort_as_bfloat16(__heddle_to_bfloat16(f, __heddle_zero));
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16_ru(float f) {
  return __ushort_as_bfloat16(__heddle_to_bfloat16(f, __heddle_up));
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16_rd(float f) {
  return __ushort_as_bfloat16(__heddle_to_bfloat16(f, __heddle_down));
}
HEDDLE_HD __nv_bfloat16 __float2bfloat16(float f) { return __float2bfloat16_rn(f); }
HEDDLE_HD __nv_bfloat16 __double2bfloat16(double d) { return __float2bfloat16_rn(__heddle_odd(d)); }
HEDDLE_HD float __bfloat162float(__nv_bfloat16 h) { return __heddle_from_bfloat16(h.__x); }
HEDDLE_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HEDDLE_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
HEDDLE_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
HEDDLE_HD __nv_bfloat162 __float2bfloat162_rn(float f) {
  return __bfloat162bfloat162(__float2bfloat16_rn(f));
}
HEDDLE_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__float2bfloat16_rn(a), __float2bfloat16_rn(b));
}
HEDDLE_HD __nv_bfloat162 __float22bfloat162_rn(float2 v) { return __floats2bfloat162_rn(v.x, v.y); }
HEDDLE_HD float2 __bfloat1622float2(__nv_bfloat162 v) {
  return make_float2(__bfloat162float(v.x), __bfloat162float(v.y));
}
HEDDLE_HD float __low2float(__nv_bfloat162 v) { return __bfloat162float(v.x); }
HEDDLE_HD float __high2float(__nv_bfloat162 v) { return __bfloat162float(v.y); }

// Halves of a pair
HEDDLE_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v) { return v.x; }
HEDDLE_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v) { return v.y; }
HEDDLE_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.x, v.x); }
HEDDLE_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.y); }
HEDDLE_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w) {
  return __nv_bfloat162(v.x, w.x);
}
HEDDLE_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 v, __nv_bfloat162 w) {
  return __nv_bfloat162(v.y, w.y);
}
HEDDLE_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v) { return __nv_bfloat162(v.y, v.x); }

// From and to integers
#define HEDDLE_INTEGER(name, T, odd)                                                               \
  HEDDLE_INTEGER_MODE(name, T, odd, rn, nearest)                                                   \
  HEDDLE_INTEGER_MODE(name, T, odd, rz, zero)                                                      \
  HEDDLE_INTEGER_MODE(name, T, odd, ru, up)                                                        \
  HEDDLE_INTEGER_MODE(name, T, odd, rd, down)
#define HEDDLE_INTEGER_MODE(name, T, odd, suffix, mode)                                            \
  HEDDLE_HD T __bfloat162##name##_##suffix(__nv_bfloat16 h) {                                      \
    return __heddle_to_integer<T>(__bfloat162float(h), __heddle_##mode);                           \
  }                                                                                                \
  HEDDLE_HD __nv_bfloat16 __##name##2bfloat16_##suffix(T i) {                                      \
    return __float2bfloat16_##suffix(odd);                                                         \
  }
HEDDLE_INTEGER(short, short, (float)i)
HEDDLE_INTEGER(ushort, unsigned short, (float)i)
HEDDLE_INTEGER(int, int, __heddle_odd_integer((long long)i))
HEDDLE_INTEGER(uint, unsigned, __heddle_odd_integer((long long)i))
HEDDLE_INTEGER(ll, long long, __heddle_odd_integer(i))
HEDDLE_INTEGER(ull, unsigned long long, __heddle_odd_integer(i, false))
#undef HEDDLE_INTEGER
#undef HEDDLE_INTEGER_MODE
HEDDLE_HD signed char __bfloat162char_rz(__nv_bfloat16 h) {
  return __heddle_to_integer<signed char>(__bfloat162float(h), __heddle_zero);
}
HEDDLE_HD unsigned char __bfloat162uchar_rz(__nv_bfloat16 h) {
  return __heddle_to_integer<unsigned char>(__bfloat162float(h), __heddle_zero);
}
#undef HEDDLE_HD
#undef HEDDLE_MEMBER

#define HEDDLE_H __nv_bfloat16
#define HEDDLE_H2 __nv_bfloat162
#define HEDDLE_NARROW(f) __float2bfloat16_rn(f)
#define HEDDLE_WIDEN(h) __bfloat162float(h)
#include "heddle/small_float.inc"
#undef HEDDLE_H
#undef HEDDLE_H2
#undef HEDDLE_NARROW
#undef HEDDLE_WIDEN
#pragma pop_macro("HEDDLE_HD")

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)

#endif
#endif
