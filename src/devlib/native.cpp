// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native.h"

using namespace heddle::devlib;

/// In two steps, half of the exponent each: what n + 254 is split into are the biased exponents of
/// the two factors. The first step is exact.
HEDDLE_PURE float __heddle_scale(float x, float, float shifted) {
  u32 half = bits(shifted) << 22 & 0xff800000, rest = (bits(shifted) << 23) - half;
  return x * fromBits(half) * fromBits(rest);
}

HEDDLE_PURE bool __heddle_has_exponents() { return false; }

HEDDLE_PURE float __heddle_exponent(float x) {
  float a = absolute(x);
  bool tiny = a < 0x1p-126f;
  u32 b = bits(tiny ? a * 0x1p24f : a);
  float value = (float)((i32)(b >> 23) - (tiny ? 151 : 127));
  value = a == 0 ? -__builtin_inff() : value;
  return a < __builtin_inff() ? value : a;
}

HEDDLE_PURE float __heddle_mantissa(float x) {
  float a = absolute(x);
  u32 b = bits(a < 0x1p-126f ? a * 0x1p24f : a);
  u32 fraction = b & 0x7fffff;
  float value = fromBits(fraction | (fraction < 0x400000 ? 0x3f800000 : 0x3f000000));
  value = a > 0 && a < __builtin_inff() ? value : 1.0f;
  return x >= 0 ? value : __builtin_nanf("");
}

HEDDLE_PURE float __heddle_rsqrt_estimate(float x) { return 1.0f / __builtin_sqrtf(x); }
HEDDLE_PURE float __heddle_reciprocal_estimate(float x) { return 1.0f / x; }
HEDDLE_PURE bool __heddle_has_estimates() { return false; }

HEDDLE_PURE int __heddle_dot(int a, int b) {
  int sum = 0;
  for (int bit = 0; bit < 32; bit += 8)
    sum += (signed char)(a >> bit) * (signed char)(b >> bit);
  return sum;
}

HEDDLE_PURE u32 __heddle_dot_unsigned(u32 a, u32 b) {
  u32 sum = 0;
  for (int bit = 0; bit < 32; bit += 8)
    sum += (a >> bit & 0xff) * (b >> bit & 0xff);
  return sum;
}
