// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bfloat16 numbers: types, conversions and bit patterns; the functions are in
// heddle/small_float.inc (CUDA math API, "Bfloat16 Precision"). Host and device.
#ifndef HEDDLE_CUDA_BF16_H
#define HEDDLE_CUDA_BF16_H
#define __CUDA_BF16_H__

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

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __attribute__((aligned(4))) __nv_bfloat162_raw {
  unsigned short x, y;
};

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_H __nv_bfloat16
#define HEDDLE_H2 __nv_bfloat162
#define HEDDLE_RAW __nv_bfloat16_raw
#define HEDDLE_RAW2 __nv_bfloat162_raw
#define HEDDLE_NAME(before, after) before##bfloat16##after
#define HEDDLE_ROUND(f, mode) __heddle_to_bfloat16(f, mode)
#define HEDDLE_EXACT(bits) __heddle_from_bfloat16(bits)
#include "heddle/small_float_type.inc"
#undef HEDDLE_RAW
#undef HEDDLE_RAW2
#undef HEDDLE_NAME
#undef HEDDLE_ROUND
#undef HEDDLE_EXACT
static __host__ __device__ __forceinline__ __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return __nv_bfloat162(a, a);
}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#define HEDDLE_NARROW(f) __float2bfloat16_rn(f)
#define HEDDLE_WIDEN(h) __bfloat162float(h)
#define HEDDLE_NATIVE __bf16
#define HEDDLE_PTX "bf16"
#define HEDDLE_CONTRACTS 900
#define HEDDLE_SATURATED_CONTRACTS 0
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

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7f80u)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7fffu)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001u)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7f7fu)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000u)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000u)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3f80u)

#else
// C has the types for the interfaces of libraries, and no functions.
typedef struct {
  unsigned short x;
} __attribute__((aligned(2))) __nv_bfloat16;
typedef struct {
  unsigned short x, y;
} __attribute__((aligned(4))) __nv_bfloat162;
#endif
#endif
