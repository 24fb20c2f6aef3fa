// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 6-bit floats: e2m3 (largest 7.5) and e3m2 (largest 28): conversions to and from float, double,
// half and bfloat16; there is no arithmetic (CUDA math API, "FP6 Intrinsics"). Too large numbers,
// and infinities, become the largest, and so does NaN, without its sign. Host and device.
#ifndef HEDDLE_CUDA_FP6_H
#define HEDDLE_CUDA_FP6_H
#define __CUDA_FP6_H__

#if defined(__cplusplus)
#include "heddle/tiny_float.h"

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;
enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 };

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__

HEDDLE_HD __heddle_tiny_format __heddle_fp6_format(__nv_fp6_interpretation_t kind) {
  return kind == __NV_E2M3 ? __heddle_tiny_format{3, 1, 6, 0x1f, 0x1f, 0x1f}
                           : __heddle_tiny_format{2, 3, 6, 0x1f, 0x1f, 0x1f};
}
HEDDLE_HD __nv_fp6_storage_t __nv_cvt_float_to_fp6(float x, __nv_fp6_interpretation_t kind,
                                                   cudaRoundMode rounding) {
  return __heddle_to_tiny(x, __heddle_fp6_format(kind), __heddle_rounding_of(rounding));
}
HEDDLE_HD __nv_fp6_storage_t __nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t kind,
                                                    cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp6(__heddle_odd(x), kind, rounding);
}
HEDDLE_HD __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(__half_raw x, __nv_fp6_interpretation_t kind,
                                                     cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp6(__half2float(__half(x)), kind, rounding);
}
HEDDLE_HD __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw x,
                                                         __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp6(__bfloat162float(__nv_bfloat16(x)), kind, rounding);
}
HEDDLE_HD __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(float2 x, __nv_fp6_interpretation_t kind,
                                                        cudaRoundMode rounding) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_float_to_fp6(x.x, kind, rounding) |
                                __nv_cvt_float_to_fp6(x.y, kind, rounding) << 8);
}
HEDDLE_HD __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(double2 x, __nv_fp6_interpretation_t kind,
                                                         cudaRoundMode rounding) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_double_to_fp6(x.x, kind, rounding) |
                                __nv_cvt_double_to_fp6(x.y, kind, rounding) << 8);
}
HEDDLE_HD __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(__half2_raw x,
                                                          __nv_fp6_interpretation_t kind,
                                                          cudaRoundMode rounding) {
  return __nv_cvt_float2_to_fp6x2(__half22float2(__half2(x)), kind, rounding);
}
HEDDLE_HD __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(__nv_bfloat162_raw x,
                                                              __nv_fp6_interpretation_t kind,
                                                              cudaRoundMode rounding) {
  return __nv_cvt_float2_to_fp6x2(__bfloat1622float2(__nv_bfloat162(x)), kind, rounding);
}
HEDDLE_HD __half_raw __nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind) {
  return (__half_raw)__float2half(__heddle_from_tiny(x, __heddle_fp6_format(kind)));
}
HEDDLE_HD __half2_raw __nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x,
                                                 __nv_fp6_interpretation_t kind) {
  __half2_raw r;
  r.x = __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x & 0xff), kind).x;
  r.y = __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x;
  return r;
}
#undef HEDDLE_HD
#pragma pop_macro("HEDDLE_HD")

#define HEDDLE_T __nv_fp6_e2m3
#define HEDDLE_T2 __nv_fp6x2_e2m3
#define HEDDLE_T4 __nv_fp6x4_e2m3
#define HEDDLE_S __nv_fp6_storage_t
#define HEDDLE_S2 __nv_fp6x2_storage_t
#define HEDDLE_S4 __nv_fp6x4_storage_t
#define HEDDLE_STEP 8
#define HEDDLE_MAGNITUDE 0x1f
#define HEDDLE_FROM_FLOAT(v) __nv_cvt_float_to_fp6(v, __NV_E2M3, cudaRoundNearest)
#define HEDDLE_FROM_DOUBLE(v) __nv_cvt_double_to_fp6(v, __NV_E2M3, cudaRoundNearest)
#define HEDDLE_FROM_FLOAT2(v) __nv_cvt_float2_to_fp6x2(v, __NV_E2M3, cudaRoundNearest)
#define HEDDLE_FROM_DOUBLE2(v) __nv_cvt_double2_to_fp6x2(v, __NV_E2M3, cudaRoundNearest)
#define HEDDLE_TO_HALF(x) __nv_cvt_fp6_to_halfraw(x, __NV_E2M3)
#define HEDDLE_TO_HALF2(x) __nv_cvt_fp6x2_to_halfraw2(x, __NV_E2M3)
#include "heddle/tiny_float_type.inc"

#define HEDDLE_T __nv_fp6_e3m2
#define HEDDLE_T2 __nv_fp6x2_e3m2
#define HEDDLE_T4 __nv_fp6x4_e3m2
#define HEDDLE_S __nv_fp6_storage_t
#define HEDDLE_S2 __nv_fp6x2_storage_t
#define HEDDLE_S4 __nv_fp6x4_storage_t
#define HEDDLE_STEP 8
#define HEDDLE_MAGNITUDE 0x1f
#define HEDDLE_FROM_FLOAT(v) __nv_cvt_float_to_fp6(v, __NV_E3M2, cudaRoundNearest)
#define HEDDLE_FROM_DOUBLE(v) __nv_cvt_double_to_fp6(v, __NV_E3M2, cudaRoundNearest)
#define HEDDLE_FROM_FLOAT2(v) __nv_cvt_float2_to_fp6x2(v, __NV_E3M2, cudaRoundNearest)
#define HEDDLE_FROM_DOUBLE2(v) __nv_cvt_double2_to_fp6x2(v, __NV_E3M2, cudaRoundNearest)
#define HEDDLE_TO_HALF(x) __nv_cvt_fp6_to_halfraw(x, __NV_E3M2)
#define HEDDLE_TO_HALF2(x) __nv_cvt_fp6x2_to_halfraw2(x, __NV_E3M2)
#include "heddle/tiny_float_type.inc"

#endif
#endif
