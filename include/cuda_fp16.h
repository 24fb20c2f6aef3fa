// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Half numbers: types, conversions and bit patterns; the functions are in heddle/small_float.inc
// (CUDA math API, "Half Precision"). Host and device.
#ifndef HEDDLE_CUDA_FP16_H
#define HEDDLE_CUDA_FP16_H
#define __CUDA_FP16_H__

#if !defined(__CUDACC_RTC__)
#include <limits.h>
#include <stddef.h>
#endif

#if defined(__cplusplus)
#include "heddle/small_float.h"

#if !defined(__CUDACC_RTC__)
#include <cstring>
#include <math.h>
#endif

struct __half_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __half2_raw {
  unsigned short x, y;
};

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_H __half
#define HEDDLE_H2 __half2
#define HEDDLE_RAW __half_raw
#define HEDDLE_RAW2 __half2_raw
#define HEDDLE_NAME(before, after) before##half##after
#define HEDDLE_ROUND(f, mode) __heddle_to_half(f, mode)
#define HEDDLE_EXACT(bits) __heddle_from_half(bits)
#include "heddle/small_float_type.inc"
#undef HEDDLE_RAW
#undef HEDDLE_RAW2
#undef HEDDLE_NAME
#undef HEDDLE_ROUND
#undef HEDDLE_EXACT
static __host__ __device__ __forceinline__ __half2 __half2half2(__half a) { return __half2(a, a); }

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define HEDDLE_NARROW(f) __float2half_rn(f)
#define HEDDLE_WIDEN(h) __half2float(h)
#define HEDDLE_NATIVE _Float16
#define HEDDLE_PTX "f16"
#define HEDDLE_CONTRACTS 0
#define HEDDLE_SATURATED_CONTRACTS 1
#include "heddle/small_float.inc"
#undef HEDDLE_NATIVE
#undef HEDDLE_PTX
#undef HEDDLE_CONTRACTS
#undef HEDDLE_SATURATED_CONTRACTS
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

#else
// C has the types for the interfaces of libraries, and no functions.
typedef struct {
  unsigned short x;
} __attribute__((aligned(2))) __half;
typedef struct {
  unsigned short x, y;
} __attribute__((aligned(4))) __half2;
#endif
#endif
