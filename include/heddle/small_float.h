// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What half and bfloat16 share below their functions: bit patterns, rounding from wider types.
//
// Method: a value wider than float is first brought to float by rounding to odd (cut off, and set
// the last bit if anything was lost). Rounding the float in any mode then gives what rounding the
// exact value would (Boldo and Melquiond, "When double rounding is odd"), since float has over two
// bits more than either type.
#ifndef HEDDLE_SMALL_FLOAT_H
#define HEDDLE_SMALL_FLOAT_H

#include "../cuda_runtime.h"

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__

enum __heddle_rounding { __heddle_nearest, __heddle_zero, __heddle_up, __heddle_down };

#if defined(__clang__) || defined(__CUDACC_RTC__)
HEDDLE_HD unsigned __heddle_bits(float x) { return __builtin_bit_cast(unsigned, x); }
HEDDLE_HD float __heddle_float(unsigned x) { return __builtin_bit_cast(float, x); }
HEDDLE_HD unsigned long long __heddle_bits(double x) {
  return __builtin_bit_cast(unsigned long long, x);
}
HEDDLE_HD double __heddle_double(unsigned long long x) { return __builtin_bit_cast(double, x); }
#else
HEDDLE_HD unsigned __heddle_bits(float x) {
  unsigned r;
  __builtin_memcpy(&r, &x, 4);
  return r;
}
HEDDLE_HD float __heddle_float(unsigned x) {
  float r;
  __builtin_memcpy(&r, &x, 4);
  return r;
}
HEDDLE_HD unsigned long long __heddle_bits(double x) {
  unsigned long long r;
  __builtin_memcpy(&r, &x, 8);
  return r;
}
HEDDLE_HD double __heddle_double(unsigned long long x) {
  double r;
  __builtin_memcpy(&r, &x, 8);
  return r;
}
#endif

/// Of checked code, which tells what numbers do not fit in a type: x, and `lacks` says that the type
/// does not have it, rounded (src/simt/lower/float_checks.cpp). What the compiler knows is not told.
enum __heddle_narrow_type {
  __heddle_as_half,
  __heddle_as_bfloat16,
  __heddle_as_e4m3,
  __heddle_as_e5m2,
  __heddle_as_integer
};
#if defined(__CUDA_ARCH__) && defined(__CUDA__)
extern "C" __device__ __attribute__((const)) float __heddle_narrowed(float x, bool lacks,
                                                                     unsigned type);
#define HEDDLE_NARROWED(x, lacks, type)                                                            \
  (__builtin_constant_p(x) ? (x) : __heddle_narrowed(x, lacks, type))
#else
#define HEDDLE_NARROWED(x, lacks, type) (x)
#endif
/// A finite number becomes infinite: from `nearest` on in the nearest number's place, or above `most`.
HEDDLE_HD bool __heddle_overflows(float x, __heddle_rounding mode, unsigned most,
                                  unsigned nearest) {
  const unsigned b = __heddle_bits(x), magnitude = b & 0x7fffffff;
  if (magnitude >= 0x7f800000)
    return false;
  if (mode == __heddle_nearest)
    return magnitude >= nearest;
  return magnitude > most && mode == (b >> 31 ? __heddle_down : __heddle_up);
}

/// x cut off to float, with the last bit set if that lost anything.
HEDDLE_HD float __heddle_odd(double x) {
  float f = (float)x;
  double back = f;
  if (back == x || x != x)
    return f;
  unsigned b = __heddle_bits(f);
  b -= (back < 0 ? -back : back) > (x < 0 ? -x : x);
  return __heddle_float(b | 1);
}
/// a + b likewise, for doubles whose sum stays in range.
HEDDLE_HD double __heddle_odd_sum(double a, double b) {
  double s = a + b, t = s - a;
  double lost = (a - (s - t)) + (b - t);
  unsigned long long bits = __heddle_bits(s);
  if (lost == 0 || lost != lost || (bits & 1))
    return s;
  return __heddle_double((lost > 0) == (s > 0) ? bits + 1 : bits - 1);
}
/// An integer likewise: bits below the 40 that matter are gathered in one.
HEDDLE_HD float __heddle_odd_integer(unsigned long long magnitude, bool negative) {
  if (magnitude >> 40)
    magnitude = (magnitude & ~0xffffffull) | ((magnitude & 0xffffff) != 0 ? 1u << 20 : 0);
  float f = __heddle_odd((double)magnitude);
  return negative ? -f : f;
}
HEDDLE_HD float __heddle_odd_integer(long long x) {
  return __heddle_odd_integer(x < 0 ? 0 - (unsigned long long)x : (unsigned long long)x, x < 0);
}

/// Whether to step away from zero, given the sign, the last kept bit, and what was cut off: 0
/// nothing, 1 below a half, 2 a half, 3 above.
HEDDLE_HD unsigned __heddle_step(__heddle_rounding mode, unsigned negative, unsigned odd,
                                 unsigned rest) {
  switch (mode) {
  case __heddle_nearest:
    return rest == 3 || (rest == 2 && odd);
  case __heddle_up:
    return rest && !negative;
  case __heddle_down:
    return rest && negative;
  default:
    return 0;
  }
}
HEDDLE_HD unsigned __heddle_rest(unsigned cut, unsigned half) {
  return cut == 0 ? 0 : cut < half ? 1 : cut == half ? 2 : 3;
}

HEDDLE_HD unsigned short __heddle_to_half(float x, __heddle_rounding mode) {
  x = HEDDLE_NARROWED(x, __heddle_overflows(x, mode, 0x477fe000, 0x477ff000), __heddle_as_half);
  unsigned b = __heddle_bits(x), sign = b >> 31, magnitude = b & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7fff;
#if defined(__CUDA_ARCH__) && defined(__CUDA__)
  if (mode == __heddle_nearest)
    return (unsigned short)__nvvm_f2h_rn(x);
#endif
  unsigned result;
  if (magnitude >= 0x47800000) { // 65536 and more
    bool away = mode == __heddle_nearest || (mode == __heddle_up && !sign) ||
                (mode == __heddle_down && sign);
    result = away || magnitude == 0x7f800000 ? 0x7c00 : 0x7bff;
  } else if (magnitude >= 0x38800000) { // normal
    result = (magnitude - 0x38000000) >> 13;
    result += __heddle_step(mode, sign, result & 1, __heddle_rest(magnitude & 0x1fff, 0x1000));
  } else { // denormal: the unit is 2^-24
    int shift = 126 - (int)(magnitude >> 23);
    unsigned whole = magnitude >> 23 ? (magnitude & 0x7fffff) | 0x800000 : magnitude;
    unsigned sticky = shift > 30;
    shift = shift > 30 ? 30 : shift;
    result = sticky ? 0 : whole >> shift;
    unsigned rest =
        sticky ? whole != 0 : __heddle_rest(whole & ((1u << shift) - 1), 1u << (shift - 1));
    result += __heddle_step(mode, sign, result & 1, rest);
  }
  return (unsigned short)(sign << 15 | result);
}
/// Through one rounding. A NaN keeps its sign and the upper bits of its payload.
HEDDLE_HD unsigned short __heddle_to_half(double x, __heddle_rounding mode) {
  if (x != x)
    return (unsigned short)(__heddle_bits(x) >> 48 & 0x8000) | 0x7e00 |
           (unsigned short)(__heddle_bits(x) >> 42 & 0x1ff);
  return __heddle_to_half(__heddle_odd(x), mode);
}
HEDDLE_HD float __heddle_from_half(unsigned short x) {
#if defined(__CUDA_ARCH__) && defined(__CUDA__)
  return (float)__builtin_bit_cast(_Float16, x);
#else
  unsigned sign = (unsigned)(x & 0x8000) << 16, magnitude = x & 0x7fff;
  if (magnitude >= 0x7c00)
    return __heddle_float(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude < 0x400) {
    float f = (float)magnitude * 5.9604644775390625e-8f;
    return sign ? -f : f;
  }
  return __heddle_float(sign | ((magnitude << 13) + 0x38000000));
#endif
}

HEDDLE_HD unsigned short __heddle_to_bfloat16(float x, __heddle_rounding mode) {
  x = HEDDLE_NARROWED(x, __heddle_overflows(x, mode, 0x7f7f0000, 0x7f7f8000), __heddle_as_bfloat16);
  unsigned b = __heddle_bits(x);
  if ((b & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  if (mode == __heddle_nearest)
    return (unsigned short)((b + 0x7fff + (b >> 16 & 1)) >> 16);
  return (unsigned short)((b >> 16) + __heddle_step(mode, b >> 31, 0, (b & 0xffff) != 0));
}
HEDDLE_HD unsigned short __heddle_to_bfloat16(double x, __heddle_rounding mode) {
  if (x != x)
    return (unsigned short)(__heddle_bits(x) >> 48 & 0x8000) | 0x7fc0 |
           (unsigned short)(__heddle_bits(x) >> 45 & 0x3f);
  return __heddle_to_bfloat16(__heddle_odd(x), mode);
}
HEDDLE_HD float __heddle_from_bfloat16(unsigned short x) {
  return __heddle_float((unsigned)x << 16);
}

HEDDLE_HD float __heddle_whole(float x, __heddle_rounding mode) {
  return mode == __heddle_nearest ? __builtin_rintf(x)
         : mode == __heddle_zero  ? __builtin_truncf(x)
         : mode == __heddle_up    ? __builtin_ceilf(x)
                                  : __builtin_floorf(x);
}
/// Saturates; NaN gives 0, or 0x80...0 for 64 bits, as PTX's cvt does.
template <class Integer> HEDDLE_HD Integer __heddle_to_integer(float x, __heddle_rounding mode) {
  constexpr bool isSigned = (Integer)-1 < (Integer)0;
  constexpr int bits = 8 * (int)sizeof(Integer) - isSigned;
  constexpr Integer most = (Integer)(~0ull >> (64 - bits)),
                    least = isSigned ? (Integer)(-most - 1) : 0;
  float whole = __heddle_whole(x, mode);
  float limit = __heddle_float((unsigned)(bits + 127) << 23);
  whole = HEDDLE_NARROWED(whole, !(whole < limit && whole >= (isSigned ? -limit : 0.0f)),
                          __heddle_as_integer);
  if (x != x)
    return sizeof(Integer) == 8 ? (Integer)(1ull << 63) : 0;
  return whole >= limit ? most : whole < (isSigned ? -limit : 0.0f) ? least : (Integer)whole;
}

#undef HEDDLE_HD
#pragma pop_macro("HEDDLE_HD")
#endif
