// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half numbers: types, conversions and bit patterns; the functions are in heddle/small_float.inc
// (CUDA math API, "Half Precision"). Host and device.
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H
#define __CUDA_FP16_H__

#if defined(__cplusplus)
#include "heddle/small_float.h"

#include <math.h>

struct __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__
#define HEDDLE_MEMBER __host__ __device__ __forceinline__

/// Converts from every arithmetic type with one rounding to nearest, and to float; from there C++
/// goes on.
struct __attribute__((aligned(2))) __half {
  __half() = default;
  HEDDLE_MEMBER constexpr __half(const __half_raw &raw) : __x(raw.x) {}
  HEDDLE_MEMBER __half(float v) : __x(__heddle_to_half(v, __heddle_nearest)) {}
  HEDDLE_MEMBER __half(double v) : __x(__heddle_to_half(__heddle_odd(v), __heddle_nearest)) {}
  HEDDLE_MEMBER __half(short v) : __half((long long)v) {}
  HEDDLE_MEMBER __half(unsigned short v) : __half((long long)v) {}
  HEDDLE_MEMBER __half(int v) : __half((long long)v) {}
  HEDDLE_MEMBER __half(unsigned v) : __half((long long)v) {}
  HEDDLE_MEMBER __half(long v) : __half((long long)v) {}
  HEDDLE_MEMBER __half(unsigned long v) : __half((unsigned long long)v) {}
  HEDDLE_MEMBER __half(long long v)
      : __x(__heddle_to_half(__heddle_odd_integer(v), __heddle_nearest)) {}
  HEDDLE_MEMBER __half(unsigned long long v)
      : __x(__heddle_to_half(__heddle_odd_integer(v, false), __heddle_nearest)) {}
  HEDDLE_MEMBER operator float() const { return __heddle_from_half(__x); }
  HEDDLE_MEMBER operator __half_raw() const {
    __half_raw r;
    r.x = __x;
    return r;
  }

  unsigned short __x;
};

struct __attribute__((aligned(4))) __half2 {
  __half2() = default;
  HEDDLE_MEMBER __half2(const __half &a, const __half &b) : x(a), y(b) {}
  HEDDLE_MEMBER __half2(const __half2_raw &raw) {
    x.__x = raw.x;
    y.__x = raw.y;
  }
  HEDDLE_MEMBER operator __half2_raw() const {
    __half2_raw r;
    r.x = x.__x, r.y = y.__x;
    return r;
  }

  __half x, y;
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

// Bit patterns
HEDDLE_HD __half __ushort_as_half(unsigned short b) {
  __half r;
  r.__x = b;
  return r;
}
HEDDLE_HD __half __short_as_half(short b) { return __ushort_as_half((unsigned short)b); }
HEDDLE_HD unsigned short __half_as_ushort(__half h) { return h.__x; }
HEDDLE_HD short __half_as_short(__half h) { return (short)h.__x; }

// From and to float and double
HEDDLE_HD __half __float2half_rn(float f) {
  return __ushort_as_half(__heddle_to_half(f, __heddle_nearest));
}
HEDDLE_HD __half __float2half_rz(float f) {
  return __ushort_as_half(__heddle_to_half(f, __heddle_zero));
}
HEDDLE_HD __half __float2half_ru(float f) {
  return __ushort_as_half(__heddle_to_half(f, __heddle_up));
}
HEDDLE_HD __half __float2half_rd(float f) {
  return __ushort_as_half(__heddle_to_half(f, __heddle_down));
}
HEDDLE_HD __half __float2half(float f) { return __float2half_rn(f); }
HEDDLE_HD __half __double2half(double d) { return __float2half_rn(__heddle_odd(d)); }
HEDDLE_HD float __half2float(__half h) { return __heddle_from_half(h.__x); }
HEDDLE_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
HEDDLE_HD __half2 __half2half2(__half a) { return __half2(a, a); }
HEDDLE_HD __half2 __float2half2_rn(float f) { return __half2half2(__float2half_rn(f)); }
HEDDLE_HD __half2 __floats2half2_rn(float a, float b) {
  return __half2(__float2half_rn(a), __float2half_rn(b));
}
HEDDLE_HD __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
HEDDLE_HD float2 __half22float2(__half2 v) {
  return make_float2(__half2float(v.x), __half2float(v.y));
}
HEDDLE_HD float __low2float(__half2 v) { return __half2float(v.x); }
HEDDLE_HD float __high2float(__half2 v) { return __half2float(v.y); }

// Halves of a pair
HEDDLE_HD __half __low2half(__half2 v) { return v.x; }
HEDDLE_HD __half __high2half(__half2 v) { return v.y; }
HEDDLE_HD __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
HEDDLE_HD __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
HEDDLE_HD __half2 __lows2half2(__half2 v, __half2 w) { return __half2(v.x, w.x); }
HEDDLE_HD __half2 __highs2half2(__half2 v, __half2 w) { return __half2(v.y, w.y); }
HEDDLE_HD __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }

// From and to integers
#define HEDDLE_INTEGER(name, T, odd)                                                               \
  HEDDLE_INTEGER_MODE(name, T, odd, rn, nearest)                                                   \
  HEDDLE_INTEGER_MODE(name, T, odd, rz, zero)                                                      \
  HEDDLE_INTEGER_MODE(name, T, odd, ru, up)                                                        \
  HEDDLE_INTEGER_MODE(name, T, odd, rd, down)
#define HEDDLE_INTEGER_MODE(name, T, odd, suffix, mode)                                            \
  HEDDLE_HD T __half2##name##_##suffix(__half h) {                                                 \
    return __heddle_to_integer<T>(__half2float(h), __heddle_##mode);                               \
  }                                                                                                \
  HEDDLE_HD __half __##name##2half_##suffix(T i) { return __float2half_##suffix(odd); }
HEDDLE_INTEGER(short, short, (float)i)
HEDDLE_INTEGER(ushort, unsigned short, (float)i)
HEDDLE_INTEGER(int, int, __heddle_odd_integer((long long)i))
HEDDLE_INTEGER(uint, unsigned, __heddle_odd_integer((long long)i))
HEDDLE_INTEGER(ll, long long, __heddle_odd_integer(i))
HEDDLE_INTEGER(ull, unsigned long long, __heddle_odd_integer(i, false))
#undef HEDDLE_INTEGER
#undef HEDDLE_INTEGER_MODE
HEDDLE_HD signed char __half2char_rz(__half h) {
  return __heddle_to_integer<signed char>(__half2float(h), __heddle_zero);
}
HEDDLE_HD unsigned char __half2uchar_rz(__half h) {
  return __heddle_to_integer<unsigned char>(__half2float(h), __heddle_zero);
}
#undef HEDDLE_HD
#undef HEDDLE_MEMBER

#define HEDDLE_H __half
#define HEDDLE_H2 __half2
#define HEDDLE_NARROW(f) __float2half_rn(f)
#define HEDDLE_WIDEN(h) __half2float(h)
#include "heddle/small_float.inc"
#undef HEDDLE_H
#undef HEDDLE_H2
#undef HEDDLE_NARROW
#undef HEDDLE_WIDEN
#pragma pop_macro("HEDDLE_HD")

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000u)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)

#endif
#endif
