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
#include "heddle/tiny_float.h"

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
  const bool isFinite = saturate == __NV_SATFINITE;
  const float magnitude = __builtin_fabsf(x);
  const bool isLarge = kind == __NV_E4M3 ? magnitude > 464 : magnitude >= 61440;
  x = HEDDLE_NARROWED(x, !isFinite && isLarge && magnitude < __builtin_inff(),
                      kind == __NV_E4M3 ? __heddle_as_e4m3 : __heddle_as_e5m2);
  return __heddle_to_tiny(
      x, kind == __NV_E4M3 ? __heddle_tiny_format{3, 7, 8, 0x7e, isFinite ? 0x7eu : 0x7fu, 0x7f}
                           : __heddle_tiny_format{2, 15, 8, 0x7b, isFinite ? 0x7bu : 0x7cu, 0x7f});
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
// e8m0: a power of two from 2^-127 to 2^127, no sign, no zero; 0xff is NaN (OCP Microscaling
// Formats). Rounded up or toward zero; too small numbers are the least one.
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                                                    cudaRoundMode rounding) {
  unsigned magnitude = __heddle_bits(x) & 0x7fffffff, field = magnitude >> 23;
  if (magnitude > 0x7f800000)
    return 0xff;
  // Denormal floats above 2^-127 lie between the codes 0 and 1.
  bool isBelow = field == 0 ? magnitude > 0x400000 : (magnitude & 0x7fffff) != 0;
  if (field < 0xff && rounding == cudaRoundPosInf && isBelow)
    ++field;
  if (field == 0xff)
    return saturate == __NV_SATFINITE ? 0xfe : 0xff;
  return (__nv_fp8_storage_t)field;
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                                                     cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__heddle_odd(x), saturate, rounding);
}
HEDDLE_HD __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x,
                                                          __nv_saturation_t saturate,
                                                          cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(__bfloat162float(__nv_bfloat16(x)), saturate, rounding);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(float2 x, __nv_saturation_t saturate,
                                                         cudaRoundMode rounding) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_e8m0(x.x, saturate, rounding) |
                                __nv_cvt_float_to_e8m0(x.y, saturate, rounding) << 8);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(double2 x, __nv_saturation_t saturate,
                                                          cudaRoundMode rounding) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(x.x, saturate, rounding) |
                                __nv_cvt_double_to_e8m0(x.y, saturate, rounding) << 8);
}
HEDDLE_HD __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw x,
                                                               __nv_saturation_t saturate,
                                                               cudaRoundMode rounding) {
  return __nv_cvt_float2_to_e8m0x2(__bfloat1622float2(__nv_bfloat162(x)), saturate, rounding);
}
HEDDLE_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  __nv_bfloat16_raw r;
  r.x = x == 0xff ? 0x7fff : x == 0 ? 0x0040 : (unsigned short)(x << 7);
  return r;
}
HEDDLE_HD __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x) {
  __nv_bfloat162_raw r;
  r.x = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x;
  r.y = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x;
  return r;
}

#define HEDDLE_MEMBER __host__ __device__ __forceinline__
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  HEDDLE_MEMBER explicit __nv_fp8_e8m0(float v)
      : __x(__nv_cvt_float_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  HEDDLE_MEMBER explicit __nv_fp8_e8m0(double v)
      : __x(__nv_cvt_double_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  HEDDLE_MEMBER explicit __nv_fp8_e8m0(__half v) : __nv_fp8_e8m0((float)v) {}
  HEDDLE_MEMBER explicit __nv_fp8_e8m0(__nv_bfloat16 v) : __nv_fp8_e8m0((float)v) {}
  HEDDLE_MEMBER explicit operator __nv_bfloat16() const {
    return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x));
  }
  HEDDLE_MEMBER explicit operator float() const { return __bfloat162float((__nv_bfloat16) * this); }
  HEDDLE_MEMBER explicit operator double() const { return (double)(float)*this; }
};
struct __attribute__((aligned(2))) __nv_fp8x2_e8m0 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e8m0() = default;
  HEDDLE_MEMBER explicit __nv_fp8x2_e8m0(float2 v)
      : __x(__nv_cvt_float2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  HEDDLE_MEMBER explicit __nv_fp8x2_e8m0(double2 v)
      : __x(__nv_cvt_double2_to_e8m0x2(v, __NV_SATFINITE, cudaRoundPosInf)) {}
  HEDDLE_MEMBER explicit __nv_fp8x2_e8m0(__nv_bfloat162 v)
      : __nv_fp8x2_e8m0(__bfloat1622float2(v)) {}
  HEDDLE_MEMBER explicit operator __nv_bfloat162() const {
    return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
  }
  HEDDLE_MEMBER explicit operator float2() const {
    return __bfloat1622float2((__nv_bfloat162) * this);
  }
};
struct __attribute__((aligned(4))) __nv_fp8x4_e8m0 {
  __nv_fp8x4_storage_t __x;
  __nv_fp8x4_e8m0() = default;
  HEDDLE_MEMBER explicit __nv_fp8x4_e8m0(__nv_fp8x2_e8m0 low, __nv_fp8x2_e8m0 high)
      : __x(low.__x | (__nv_fp8x4_storage_t)high.__x << 16) {}
  HEDDLE_MEMBER explicit __nv_fp8x4_e8m0(float4 v)
      : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(make_float2(v.x, v.y)),
                        __nv_fp8x2_e8m0(make_float2(v.z, v.w))) {}
  HEDDLE_MEMBER explicit __nv_fp8x4_e8m0(double4 v)
      : __nv_fp8x4_e8m0(__nv_fp8x2_e8m0(make_double2(v.x, v.y)),
                        __nv_fp8x2_e8m0(make_double2(v.z, v.w))) {}
  HEDDLE_MEMBER explicit operator float4() const {
    __nv_fp8x2_e8m0 low, high;
    low.__x = (__nv_fp8x2_storage_t)__x;
    high.__x = (__nv_fp8x2_storage_t)(__x >> 16);
    const float2 a = (float2)low, b = (float2)high;
    return make_float4(a.x, a.y, b.x, b.y);
  }
};
#undef HEDDLE_MEMBER
#undef HEDDLE_HD

#define HEDDLE_T __nv_fp8_e4m3
#define HEDDLE_T2 __nv_fp8x2_e4m3
#define HEDDLE_T4 __nv_fp8x4_e4m3
#define HEDDLE_S __nv_fp8_storage_t
#define HEDDLE_S2 __nv_fp8x2_storage_t
#define HEDDLE_S4 __nv_fp8x4_storage_t
#define HEDDLE_STEP 8
#define HEDDLE_MAGNITUDE 0x7f
#define HEDDLE_FROM_FLOAT(v) __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3)
#define HEDDLE_FROM_DOUBLE(v) __nv_cvt_double_to_fp8(v, __NV_SATFINITE, __NV_E4M3)
#define HEDDLE_FROM_FLOAT2(v) __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3)
#define HEDDLE_FROM_DOUBLE2(v) __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, __NV_E4M3)
#define HEDDLE_TO_HALF(x) __nv_cvt_fp8_to_halfraw(x, __NV_E4M3)
#define HEDDLE_TO_HALF2(x) __nv_cvt_fp8x2_to_halfraw2(x, __NV_E4M3)
#include "heddle/tiny_float_type.inc"

#define HEDDLE_T __nv_fp8_e5m2
#define HEDDLE_T2 __nv_fp8x2_e5m2
#define HEDDLE_T4 __nv_fp8x4_e5m2
#define HEDDLE_S __nv_fp8_storage_t
#define HEDDLE_S2 __nv_fp8x2_storage_t
#define HEDDLE_S4 __nv_fp8x4_storage_t
#define HEDDLE_STEP 8
#define HEDDLE_MAGNITUDE 0x7f
#define HEDDLE_FROM_FLOAT(v) __nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2)
#define HEDDLE_FROM_DOUBLE(v) __nv_cvt_double_to_fp8(v, __NV_SATFINITE, __NV_E5M2)
#define HEDDLE_FROM_FLOAT2(v) __nv_cvt_float2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2)
#define HEDDLE_FROM_DOUBLE2(v) __nv_cvt_double2_to_fp8x2(v, __NV_SATFINITE, __NV_E5M2)
#define HEDDLE_TO_HALF(x) __nv_cvt_fp8_to_halfraw(x, __NV_E5M2)
#define HEDDLE_TO_HALF2(x) __nv_cvt_fp8x2_to_halfraw2(x, __NV_E5M2)
#include "heddle/tiny_float_type.inc"
#pragma pop_macro("HEDDLE_HD")

#endif
#endif
