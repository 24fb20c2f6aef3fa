// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions in the four rounding modes. A float that fits no integer saturates; NaN gives 0,
// except that what has 64 bits on either side gives 0x80...0 (PTX ISA, "cvt").
#include "devlib.h"
#include "directed.h"

using namespace heddle::devlib;

namespace {

/// `low` and `limit` are the range as T: [low, limit). x is already whole.
template <class Integer, class T>
inline Integer saturate(T x, T low, T limit, Integer least, Integer most, Integer forNan) {
  if (isNan(x))
    return forNan;
  if (x < low)
    return least;
  if (x >= limit)
    return most;
  return (Integer)x;
}

template <class T> inline i32 toInt(T x) {
  return saturate<i32, T>(x, (T)-0x1p31, (T)0x1p31, (i32)0x80000000u, 0x7fffffff,
                          sizeof(T) == 8 ? (i32)0x80000000u : 0);
}
template <class T> inline u32 toUint(T x) {
  return saturate<u32, T>(x, 0, (T)0x1p32, 0u, 0xffffffffu, sizeof(T) == 8 ? 0x80000000u : 0u);
}
template <class T> inline i64 toLong(T x) {
  const i64 least = (i64)(1ull << 63);
  return saturate<i64, T>(x, (T)-0x1p63, (T)0x1p63, least, ~least, least);
}
template <class T> inline u64 toUlong(T x) {
  return saturate<u64, T>(x, 0, (T)0x1p64, 0ull, ~0ull, 1ull << 63);
}

/// A 64-bit integer as an exact sum of two doubles.
inline Exact exactly(i64 x) { return twoSum((double)(x >> 32) * 0x1p32, (double)(u32)x); }
inline Exact exactly(u64 x) { return twoSum((double)(x >> 32) * 0x1p32, (double)(u32)x); }

} // namespace

#define HEDDLE_TO_INTEGER(name, From, To, convert, suffix)                                         \
  HEDDLE_OP To __nv_##name##_rn(From x) { return convert(__builtin_rint##suffix(x)); }             \
  HEDDLE_OP To __nv_##name##_rz(From x) { return convert(__builtin_trunc##suffix(x)); }            \
  HEDDLE_OP To __nv_##name##_ru(From x) { return convert(__builtin_ceil##suffix(x)); }             \
  HEDDLE_OP To __nv_##name##_rd(From x) { return convert(__builtin_floor##suffix(x)); }
HEDDLE_TO_INTEGER(float2int, float, i32, toInt, f)
HEDDLE_TO_INTEGER(float2uint, float, u32, toUint, f)
HEDDLE_TO_INTEGER(float2ll, float, i64, toLong, f)
HEDDLE_TO_INTEGER(float2ull, float, u64, toUlong, f)
HEDDLE_TO_INTEGER(double2int, double, i32, toInt, )
HEDDLE_TO_INTEGER(double2uint, double, u32, toUint, )
HEDDLE_TO_INTEGER(double2ll, double, i64, toLong, )
HEDDLE_TO_INTEGER(double2ull, double, u64, toUlong, )

HEDDLE_OP float __nv_roundf(float);
HEDDLE_OP double __nv_round(double);
HEDDLE_OP i64 __nv_llrintf(float x) { return toLong(__builtin_rintf(x)); }
HEDDLE_OP i64 __nv_llrint(double x) { return toLong(__builtin_rint(x)); }
HEDDLE_OP i64 __nv_llroundf(float x) { return toLong(__nv_roundf(x)); }
HEDDLE_OP i64 __nv_llround(double x) { return toLong(__nv_round(x)); }

#define HEDDLE_TO_FLOAT(name, From, exact)                                                         \
  HEDDLE_OP float __nv_##name##_rn(From x) { return (float)x; }                                    \
  HEDDLE_OP float __nv_##name##_rz(From x) { return towardZero<float>(exact); }                    \
  HEDDLE_OP float __nv_##name##_ru(From x) { return upward<float>(exact); }                        \
  HEDDLE_OP float __nv_##name##_rd(From x) { return downward<float>(exact); }
HEDDLE_TO_FLOAT(int2float, int, (Exact{(double)x, 0}))
HEDDLE_TO_FLOAT(uint2float, u32, (Exact{(double)x, 0}))
HEDDLE_TO_FLOAT(ll2float, i64, exactly(x))
HEDDLE_TO_FLOAT(ull2float, u64, exactly(x))
HEDDLE_TO_FLOAT(double2float, double, (Exact{x, 0}))

#define HEDDLE_TO_DOUBLE(name, From)                                                               \
  HEDDLE_OP double __nv_##name##_rn(From x) { return (double)x; }                                  \
  HEDDLE_OP double __nv_##name##_rz(From x) { return towardZero<double>(exactly(x)); }             \
  HEDDLE_OP double __nv_##name##_ru(From x) { return upward<double>(exactly(x)); }                 \
  HEDDLE_OP double __nv_##name##_rd(From x) { return downward<double>(exactly(x)); }
HEDDLE_TO_DOUBLE(ll2double, i64)
HEDDLE_TO_DOUBLE(ull2double, u64)
HEDDLE_OP double __nv_int2double_rn(int x) { return x; }
HEDDLE_OP double __nv_uint2double_rn(u32 x) { return x; }

HEDDLE_OP u16 __nv_float2half_rn(float x) { return __builtin_bit_cast(u16, (_Float16)x); }
HEDDLE_OP float __nv_half2float(u16 x) { return (float)__builtin_bit_cast(_Float16, x); }
