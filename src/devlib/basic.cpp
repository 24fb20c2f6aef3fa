// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are one operation of the machine, or a few: integers, signs, rounding to an
// integer, classification.
#include "devlib.h"

using namespace heddle::devlib;

// Integers

HEDDLE_OP int __nv_abs(int x) { return x < 0 ? (int)-(u32)x : x; }
HEDDLE_OP i64 __nv_llabs(i64 x) { return x < 0 ? (i64) - (u64)x : x; }
HEDDLE_OP int __nv_min(int a, int b) { return a < b ? a : b; }
HEDDLE_OP int __nv_max(int a, int b) { return a > b ? a : b; }
HEDDLE_OP u32 __nv_umin(u32 a, u32 b) { return a < b ? a : b; }
HEDDLE_OP u32 __nv_umax(u32 a, u32 b) { return a > b ? a : b; }
HEDDLE_OP i64 __nv_llmin(i64 a, i64 b) { return a < b ? a : b; }
HEDDLE_OP i64 __nv_llmax(i64 a, i64 b) { return a > b ? a : b; }
HEDDLE_OP u64 __nv_ullmin(u64 a, u64 b) { return a < b ? a : b; }
HEDDLE_OP u64 __nv_ullmax(u64 a, u64 b) { return a > b ? a : b; }

HEDDLE_OP int __nv_clz(int x) { return x ? __builtin_clz((u32)x) : 32; }
HEDDLE_OP int __nv_clzll(i64 x) { return x ? __builtin_clzll((u64)x) : 64; }
HEDDLE_OP int __nv_ffs(int x) { return x ? __builtin_ctz((u32)x) + 1 : 0; }
HEDDLE_OP int __nv_ffsll(i64 x) { return x ? __builtin_ctzll((u64)x) + 1 : 0; }
HEDDLE_OP int __nv_popc(u32 x) { return __builtin_popcount(x); }
HEDDLE_OP int __nv_popcll(u64 x) { return __builtin_popcountll(x); }
HEDDLE_OP int __nv_brev(int x) { return (int)__builtin_bitreverse32((u32)x); }
HEDDLE_OP i64 __nv_brevll(i64 x) { return (i64)__builtin_bitreverse64((u64)x); }

HEDDLE_OP int __nv_mulhi(int a, int b) { return (int)((i64)a * b >> 32); }
HEDDLE_OP u32 __nv_umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
/// Written with 32-bit halves: 128-bit products do not vectorise.
HEDDLE_OP u64 __nv_umul64hi(u64 a, u64 b) {
  u64 aLow = (u32)a, aHigh = a >> 32, bLow = (u32)b, bHigh = b >> 32;
  u64 middle = aHigh * bLow + (aLow * bLow >> 32);
  u64 other = aLow * bHigh + (u32)middle;
  return aHigh * bHigh + (middle >> 32) + (other >> 32);
}
HEDDLE_OP i64 __nv_mul64hi(i64 a, i64 b) {
  u64 high = __nv_umul64hi((u64)a, (u64)b);
  return (i64)(high - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}
HEDDLE_OP int __nv_mul24(int a, int b) {
  return (int)((u32)((int)((u32)a << 8) >> 8) * (u32)((int)((u32)b << 8) >> 8));
}
HEDDLE_OP u32 __nv_umul24(u32 a, u32 b) { return (a & 0xffffff) * (b & 0xffffff); }
/// |a - b| + c, with |a - b| as an unsigned number.
HEDDLE_OP int __nv_sad(int a, int b, int c) {
  return (int)((a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + (u32)c);
}
HEDDLE_OP u32 __nv_usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
/// Averages without overflow: hadd rounds down, rhadd up.
HEDDLE_OP int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
HEDDLE_OP u32 __nv_uhadd(u32 a, u32 b) { return (a & b) + ((a ^ b) >> 1); }
HEDDLE_OP int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
HEDDLE_OP u32 __nv_urhadd(u32 a, u32 b) { return (a | b) - ((a ^ b) >> 1); }
/// Each nibble of `selector` picks one of the eight bytes of b:a (low three bits); bit 3 is ignored
/// by
/// __byte_perm (CUDA math API, "Integer Intrinsics").
HEDDLE_OP int __nv_byte_perm(int a, int b, int selector) {
  u64 all = (u64)(u32)b << 32 | (u32)a;
  u32 result = 0;
  for (int i = 0; i < 4; i++)
    result |= (u32)(all >> (((u32)selector >> (4 * i) & 7) * 8) & 0xff) << (8 * i);
  return (int)result;
}

// Signs and selection

HEDDLE_OP float __nv_fabsf(float x) { return absolute(x); }
HEDDLE_OP double __nv_fabs(double x) { return absolute(x); }
HEDDLE_OP float __nv_copysignf(float x, float s) { return copySign(x, s); }
HEDDLE_OP double __nv_copysign(double x, double s) { return copySign(x, s); }
HEDDLE_OP int __nv_signbitf(float x) { return signBit(x); }
HEDDLE_OP int __nv_signbitd(double x) { return signBit(x); }
HEDDLE_OP float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_OP double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
HEDDLE_OP float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_OP double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
HEDDLE_OP float __nv_fdimf(float a, float b) { return a <= b ? 0.0f : a - b; }
HEDDLE_OP double __nv_fdim(double a, double b) { return a <= b ? 0.0 : a - b; }
/// Clamps to [0, 1]; NaN gives 0.
HEDDLE_OP float __nv_saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }

HEDDLE_OP int __nv_finitef(float x) { return absolute(x) < __builtin_inff(); }
HEDDLE_OP int __nv_isfinited(double x) { return absolute(x) < __builtin_inf(); }
HEDDLE_OP int __nv_isinff(float x) { return isInf(x); }
HEDDLE_OP int __nv_isinfd(double x) { return isInf(x); }
HEDDLE_OP int __nv_isnanf(float x) { return isNan(x); }
HEDDLE_OP int __nv_isnand(double x) { return isNan(x); }

// Arithmetic

HEDDLE_OP float __nv_sqrtf(float x) { return __builtin_sqrtf(x); }
HEDDLE_OP double __nv_sqrt(double x) { return __builtin_sqrt(x); }
HEDDLE_OP float __nv_fmaf(float a, float b, float c) { return fma(a, b, c); }
HEDDLE_OP double __nv_fma(double a, double b, double c) { return fma(a, b, c); }

// Rounding to an integer

HEDDLE_OP float __nv_floorf(float x) { return __builtin_floorf(x); }
HEDDLE_OP double __nv_floor(double x) { return __builtin_floor(x); }
HEDDLE_OP float __nv_ceilf(float x) { return __builtin_ceilf(x); }
HEDDLE_OP double __nv_ceil(double x) { return __builtin_ceil(x); }
HEDDLE_OP float __nv_truncf(float x) { return __builtin_truncf(x); }
HEDDLE_OP double __nv_trunc(double x) { return __builtin_trunc(x); }
HEDDLE_OP float __nv_rintf(float x) { return __builtin_rintf(x); }
HEDDLE_OP double __nv_rint(double x) { return __builtin_rint(x); }
HEDDLE_OP float __nv_nearbyintf(float x) { return __builtin_rintf(x); }
HEDDLE_OP double __nv_nearbyint(double x) { return __builtin_rint(x); }
/// Halves away from zero. The largest number below 1/2 keeps a number just below a half from
/// rounding up.
HEDDLE_OP float __nv_roundf(float x) {
  return absolute(x) < 0x1p23f ? copySign(__builtin_truncf(absolute(x) + 0x1.fffffep-2f), x) : x;
}
HEDDLE_OP double __nv_round(double x) {
  return absolute(x) < 0x1p52 ? copySign(__builtin_trunc(absolute(x) + 0x1.fffffffffffffp-2), x)
                              : x;
}

HEDDLE_OUT float __nv_modff(float x, float *whole) {
  float w = __builtin_truncf(x);
  *whole = w;
  return copySign(isInf(x) ? 0.0f : x - w, x);
}
HEDDLE_OUT double __nv_modf(double x, double *whole) {
  double w = __builtin_trunc(x);
  *whole = w;
  return copySign(isInf(x) ? 0.0 : x - w, x);
}

// Bit patterns

HEDDLE_OP int __nv_float_as_int(float x) { return (int)bits(x); }
HEDDLE_OP u32 __nv_float_as_uint(float x) { return bits(x); }
HEDDLE_OP float __nv_int_as_float(int x) { return fromBits((u32)x); }
HEDDLE_OP float __nv_uint_as_float(u32 x) { return fromBits(x); }
HEDDLE_OP u64 __nv_double_as_longlong(double x) { return bits(x); }
HEDDLE_OP double __nv_longlong_as_double(i64 x) { return fromBits((u64)x); }
HEDDLE_OP int __nv_double2hiint(double x) { return (int)(bits(x) >> 32); }
HEDDLE_OP int __nv_double2loint(double x) { return (int)bits(x); }
HEDDLE_OP double __nv_hiloint2double(int high, int low) {
  return fromBits((u64)(u32)high << 32 | (u32)low);
}
/// CUDA's NaN has a fixed pattern, whatever the string.
HEDDLE_OP float __nv_nanf(const signed char *) { return fromBits(0x7fffffffu); }
HEDDLE_OP double __nv_nan(const signed char *) { return fromBits(0x7fffffffffffffffull); }
