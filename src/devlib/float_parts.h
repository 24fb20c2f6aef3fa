// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exponentials and logarithms of floats have in common: whole numbers, and floats cut into
// exponent and mantissa.
//
// Numbers are rounded by an addition, in which the exponent is then found as bits, too. Where a
// machine has no instructions for exponents, a logarithm's argument is cut as an integer: less the
// bits of 0.75 its upper bits are the exponent, signed. Infinities, NaNs and what is not positive
// do not go through that but are added to the result: masks of zeros and ones, for a choice
// (vblendvps) is three operations of the processors that have only these.
#pragma once

#include "native.h"

namespace heddle::devlib {

/// A whole number, and with RoundToWhole added to it.
struct Whole {
  float value, shifted;
};
inline Whole wholeOf(float shifted) { return {shifted - RoundToWhole, shifted}; }

/// x * 2^n, for x between 1/8 and 2 (or NaN) and n between -252 and 252 (or NaN). Where that is
/// less than half of the least denormal, zero is scaled: processors take a hundred cycles for a
/// result that they must round away.
inline float scale(float x, Whole n) {
  return __heddle_scale(n.value <= -151.0f ? 0.0f : x, n.value, n.shifted);
}

/// At most high, at least low, or both; a NaN stays.
inline float atMost(float x, float high) { return x > high ? high : x; }
inline float atLeast(float x, float low) { return x < low ? low : x; }
inline float clamp(float x, float low, float high) { return atLeast(atMost(x, high), low); }

/// x, which has no sign or that of `sign` already, with the sign of `sign`.
inline float withSign(float x, float sign) { return fromBits(bits(x) | (bits(sign) & 0x80000000)); }

/// A whole number n, and 2^n if n is between -126 and 127; `shifted` is n + RoundToPower.
struct Power {
  float value, power;
};
inline constexpr float RoundToPower = 0x1.8p23f + 127;
inline Power powerOf(float shifted) {
  return {shifted - RoundToPower, fromBits(bits(shifted) << 23)};
}

/// x = 2^exponent (1 + f), f in [-1/4, 1/2).
struct Parts {
  float exponent, f;
  /// Zero where log(x) is a number, and the logarithm where not: -infinity, infinity or NaN. The
  /// exponent is any number then, or has this value already.
  float special;
};

/// With 1 + f in [low, 2 low), and exponents that are numbers always.
inline Parts partsFrom(float x, float low) {
  bool tiny = x < 0x1p-126f; // zeros and negative numbers too
  u32 scaled = bits(tiny ? x * 0x1p24f : x), above = scaled - bits(low);
  float exponent = (float)((i32)above >> 23) - (tiny ? 24.0f : 0.0f);
  float f = fromBits(scaled - (above & 0xff800000)) - 1.0f;
  u32 none = (x <= 0 ? 0xff800000u : 0u) | (x < 0 ? 0x7fc00000u : 0u);
  float high = x < __builtin_inff() ? 0.0f : x;
  return {exponent, f, fromBits(none) + high};
}

inline Parts partsOf(float x) {
  if (!__heddle_has_exponents())
    return partsFrom(x, 0.75f);
  float m = __heddle_mantissa(x);
  return {__heddle_exponent(x) - __heddle_exponent(m), m - 1.0f,
          -0.0f}; // a sum with -0 is no operation
}

/// The logarithm of what was cut into parts, if `value` is that where it is a number.
inline float logarithm(Parts parts, float value) {
  if (__heddle_has_exponents())
    return absolute(parts.exponent) < __builtin_inff() ? value : parts.exponent;
  return value + parts.special;
}

} // namespace heddle::devlib
