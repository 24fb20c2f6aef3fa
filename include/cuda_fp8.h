// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats: e4m3 (largest 448, no infinity) and e5m2 (largest 57344). Conversions to and from
// float, double, half and bfloat16, rounded to nearest; there is no arithmetic (CUDA math API, "FP8
// Intrinsics"). Host and device.
#ifndef HEDDLE_CUDA_FP8_H
#define HEDDLE_CUDA_FP8_H
#define __CUDA_FP8_H__

#if defined(__cplusplus)
#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__

/// Past the largest number: that number if saturating, else NaN in e4m3 and infinity in e5m2.
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                                                   __nv_fp8_interpretation_t kind) {
  const unsigned digits = kind == __NV_E4M3 ? 3 : 2, bias = kind == __NV_E4M3 ? 7 : 15;
  const unsigned largest = kind == __NV_E4M3 ? 0x7e : 0x7b;
  unsigned bits = __heddle_bits(x), sign = bits >> 24 & 0x80, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7f;
  // The float's exponent field where this type's denormals end; below, the unit stays the same.
  const unsigned least = 128 - bias;
  unsigned field = magnitude >> 23, whole = (magnitude & 0x7fffff) | (field ? 0x800000 : 0);
  unsigned shift = 23 - digits + (field < least ? least - field : 0), result;
  if (shift > 25) {
    result = 0;
  } else {
    result = whole >> shift;
    result += __heddle_step(__heddle_nearest, 0, result & 1,
                            __heddle_rest(whole & ((1u << shift) - 1), 1u << (shift - 1)));
    if (field > least) // the hidden bit of `result` adds one to the exponent
      result += (field - least) << digits;
  }
  if (result > largest || magnitude == 0x7f800000)
    result = saturate == __NV_SATFINITE ? largest : kind == __NV_E4M3 ? 0x7f : 0x7c;
  return (__nv_fp8_storage_t)(sign | result);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                                                    __nv_fp8_interpretation_t kind) {
  if (x != x) { // keeps its sign, and in e5m2 the upper bit of its payload
    unsigned long long bits = __heddle_bits(x);
    unsigned payload = kind == __NV_E4M3 ? 0x7f : 0x7e | (unsigned)(bits >> 50 & 1);
    return (__nv_fp8_storage_t)((unsigned)(bits >> 56 & 0x80) | payload);
  }
  return __nv_cvt_float_to_fp8(__heddle_odd(x), saturate, kind);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                                                     __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__half2float(__half(x)), saturate, kind);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x,
                                                         __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float_to_fp8(__bfloat162float(__nv_bfloat16(x)), saturate, kind);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t saturate,
                                                        __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, kind) |
                                __nv_cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 x, __nv_saturation_t saturate,
                                                         __nv_fp8_interpretation_t kind) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, kind) |
                                __nv_cvt_double_to_fp8(x.y, saturate, kind) << 8);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturate,
                                                          __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__half22float2(__half2(x)), saturate, kind);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x,
                                                              __nv_saturation_t saturate,
                                                              __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, kind);
}
/// Every fp8 number is a half; e5m2 is its upper byte.
HEDDLE_HD __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind) {
  __half_raw r;
  r.x = (x & 0x7f) > 0x7c ? 0x7fff : (unsigned short)(x << 8);
  if (kind == __NV_E4M3) {
    unsigned magnitude = x & 0x7f;
    float value = magnitude == 0x7f ? __heddle_float(0x7fffffff)
                  : magnitude < 8   ? (float)magnitude / 512
                                    : __heddle_float((magnitude << 20) + (120u << 23));
    r = (__half_raw)__float2half(x & 0x80 ? -value : value);
  }
  return r;
}
HEDDLE_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                                                 __nv_fp8_interpretation_t kind) {
  __half2_raw r;
  r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x;
  r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x;
  return r;
}
#undef HEDDLE_HD

#define HEDDLE_MEMBER __host__ __device__ __forceinline__
#define HEDDLE_FROM(name, T)                                                                       \
  HEDDLE_MEMBER explicit name(T v) : name((float)v) {}
#define HEDDLE_TO(T)                                                                               \
  HEDDLE_MEMBER explicit operator T() const {                                                      \
    return __heddle_to_integer<T>((float)*this, __heddle_zero);                                    \
  }
#define HEDDLE_FP8(name, kind)                                                                     \
  struct name {                                                                                    \
    __nv_fp8_storage_t __x;                                                                        \
    name() = default;                                                                              \
    HEDDLE_MEMBER explicit name(float v) : __x(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, kind)) {}  \
    HEDDLE_MEMBER explicit name(double v)                                                          \
        : __x(__nv_cvt_double_to_fp8(v, __NV_SATFINITE, kind)) {}                                  \
    HEDDLE_FROM(name, __half)                                                                      \
    HEDDLE_FROM(name, __nv_bfloat16)                                                               \
    HEDDLE_FROM(name, short)                                                                       \
    HEDDLE_FROM(name, unsigned short)                                                              \
    HEDDLE_FROM(name, int)                                                                         \
    HEDDLE_FROM(name, unsigned)                                                                    \
    HEDDLE_FROM(name, long)                                                                        \
    HEDDLE_FROM(name, unsigned long)                                                               \
    HEDDLE_FROM(name, long long)                                                                   \
    HEDDLE_FROM(name, unsigned long long)                                                          \
    HEDDLE_MEMBER explicit operator __half() const {                                               \
      return __half(__nv_cvt_fp8_to_halfraw(__x, kind));                                           \
    }                                                                                              \
    HEDDLE_MEMBER explicit operator float() const { return __half2float((__half) * this); }        \
    HEDDLE_MEMBER explicit operator double() const { return (double)(float)*this; }                \
    HEDDLE_MEMBER explicit operator __nv_bfloat16() const {                                        \
      return __float2bfloat16((float)*this);                                                       \
    }                                                                                              \
    HEDDLE_MEMBER explicit operator bool() const { return (__x & 0x7f) != 0; }                     \
    HEDDLE_TO(char)                                                                                \
    HEDDLE_TO(signed char)                                                                         \
    HEDDLE_TO(unsigned char)                                                                       \
    HEDDLE_TO(short)                                                                               \
    HEDDLE_TO(unsigned short)                                                                      \
    HEDDLE_TO(int)                                                                                 \
    HEDDLE_TO(unsigned)                                                                            \
    HEDDLE_TO(long)                                                                                \
    HEDDLE_TO(unsigned long)                                                                       \
    HEDDLE_TO(long long)                                                                           \
    HEDDLE_TO(unsigned long long)                                                                  \
  };
#define HEDDLE_FP8X2(name, kind)                                                                   \
  struct __attribute__((aligned(2))) name {                                                        \
    __nv_fp8x2_storage_t __x;                                                                      \
    name() = default;                                                                              \
    HEDDLE_MEMBER explicit name(float2 v)                                                          \
        : __x(__nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                                \
    HEDDLE_MEMBER explicit name(double2 v)                                                         \
        : __x(__nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, kind)) {}                               \
    HEDDLE_MEMBER explicit name(__half2 v) : name(__half22float2(v)) {}                            \
    HEDDLE_MEMBER explicit name(__nv_bfloat162 v) : name(__bfloat1622float2(v)) {}                 \
    HEDDLE_MEMBER explicit operator __half2() const {                                              \
      return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, kind));                                       \
    }                                                                                              \
    HEDDLE_MEMBER explicit operator float2() const { return __half22float2((__half2) * this); }    \
  };
/// Four numbers: the first in the lowest byte.
#define HEDDLE_FP8X4(name, pair)                                                                   \
  struct __attribute__((aligned(4))) name {                                                        \
    __nv_fp8x4_storage_t __x;                                                                      \
    name() = default;                                                                              \
    HEDDLE_MEMBER explicit name(pair low, pair high)                                               \
        : __x(low.__x | (__nv_fp8x4_storage_t)high.__x << 16) {}                                   \
    HEDDLE_MEMBER explicit name(float4 v)                                                          \
        : name(pair(make_float2(v.x, v.y)), pair(make_float2(v.z, v.w))) {}                        \
    HEDDLE_MEMBER explicit name(double4 v)                                                         \
        : name(pair(make_double2(v.x, v.y)), pair(make_double2(v.z, v.w))) {}                      \
    HEDDLE_MEMBER explicit name(__half2 low, __half2 high) : name(pair(low), pair(high)) {}        \
    HEDDLE_MEMBER explicit name(__nv_bfloat162 low, __nv_bfloat162 high)                           \
        : name(pair(low), pair(high)) {}                                                           \
    HEDDLE_MEMBER explicit operator float4() const {                                               \
      pair low, high;                                                                              \
      low.__x = (__nv_fp8x2_storage_t)__x;                                                         \
      high.__x = (__nv_fp8x2_storage_t)(__x >> 16);                                                \
      const float2 a = (float2)low, b = (float2)high;                                              \
      return make_float4(a.x, a.y, b.x, b.y);                                                      \
    }                                                                                              \
  };
HEDDLE_FP8(__nv_fp8_e4m3, __NV_E4M3)
HEDDLE_FP8(__nv_fp8_e5m2, __NV_E5M2)
HEDDLE_FP8X2(__nv_fp8x2_e4m3, __NV_E4M3)
HEDDLE_FP8X2(__nv_fp8x2_e5m2, __NV_E5M2)
HEDDLE_FP8X4(__nv_fp8x4_e4m3, __nv_fp8x2_e4m3)
HEDDLE_FP8X4(__nv_fp8x4_e5m2, __nv_fp8x2_e5m2)
#undef HEDDLE_FROM
#undef HEDDLE_TO
#undef HEDDLE_FP8
#undef HEDDLE_FP8X2
#undef HEDDLE_FP8X4
#undef HEDDLE_MEMBER
#pragma pop_macro("HEDDLE_HD")

#endif
#endif
