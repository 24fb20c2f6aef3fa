// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of PTX's formats as the host has them. A format is decoded exactly to 113 bits and encoded with one rounding,
// so a result is right if the value before it is exact, or rounded to odd.
#pragma once

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#pragma STDC FENV_ACCESS ON

using u8 = uint8_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;
using i16 = int16_t;
using i32 = int32_t;
using i64 = int64_t;
using u128 = unsigned __int128;
using i128 = __int128;
using Wide = __float128;

template <class To, class From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

enum class Round { Nearest, Zero, Down, Up };

struct Format {
  int exponentBits, digits; ///< digits behind the point
  int bits() const { return 1 + exponentBits + digits; }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  u64 sign() const { return u64(1) << (bits() - 1); }
  u64 infinity() const { return ((u64(1) << exponentBits) - 1) << digits; }
  u64 nan() const { return bits() == 64 ? 0x7ff8000000000000 : sign() - 1; } ///< the canonical one
  bool isNan(u64 v) const { return (v & (sign() - 1)) > infinity(); }
  bool isInfinite(u64 v) const { return (v & (sign() - 1)) == infinity(); }
  bool isSmall(u64 v) const { return (v & (sign() - 1)) < u64(1) << digits; } ///< zero or subnormal
};
constexpr Format Half = {5, 10}, Brain = {8, 7}, Single = {8, 23}, Double = {11, 52};

/// 2^n
inline Wide powerOfTwo(int n) {
  Wide result = 1, factor = n < 0 ? Wide(0.5) : Wide(2);
  for (int i = n < 0 ? -n : n; i; i >>= 1, factor *= factor)
    if (i & 1)
      result *= factor;
  return result;
}

/// Of finite numbers.
inline Wide decode(const Format &f, u64 v) {
  const u64 fraction = v & ((u64(1) << f.digits) - 1);
  const int exponent = int((v >> f.digits) & ((1 << f.exponentBits) - 1));
  const Wide size = exponent ? Wide(fraction | u64(1) << f.digits) * powerOfTwo(exponent - f.bias() - f.digits)
                             : Wide(fraction) * powerOfTwo(1 - f.bias() - f.digits);
  return v & f.sign() ? -size : size;
}

/// A finite number that is not zero.
inline u64 encode(const Format &f, Wide x, Round round = Round::Nearest) {
  const bool isNegative = x < 0;
  Wide size = isNegative ? -x : x;
  const u64 sign = isNegative ? f.sign() : 0;
  const int exponent = int((bitCast<u128>(size) >> 112) & 0x7fff) - 16383;
  const int least = 1 - f.bias(), place = exponent < least ? least : exponent;
  const Wide scaled = size * powerOfTwo(f.digits - place);
  u64 whole = u64(scaled);
  const Wide rest = scaled - Wide(whole);
  const bool isUp = round == Round::Nearest ? rest > Wide(0.5) || (rest == Wide(0.5) && (whole & 1))
                    : round == Round::Zero  ? false
                                            : rest > 0 && (round == Round::Up) != isNegative;
  whole += isUp;
  // The leading digit adds one to the exponent; so does a carry.
  const u64 result = (u64(place - least) << f.digits) + whole;
  if (exponent > f.bias() || result >= f.infinity()) {
    const bool stays = round == Round::Zero || (round == Round::Up && isNegative) || (round == Round::Down && !isNegative);
    return sign | (stays ? f.infinity() - 1 : f.infinity());
  }
  return sign | result;
}

/// a * b + c of finite numbers to 113 bits, rounded to odd.
inline Wide fusedOdd(Wide a, Wide b, Wide c) {
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_ALL_EXCEPT);
  const volatile Wide product = a * b; // exact for formats of up to 56 digits
  const volatile Wide sum = product + c;
  const bool isLost = fetestexcept(FE_INEXACT);
  fesetround(FE_TONEAREST);
  u128 bits = bitCast<u128>(Wide(sum));
  return bitCast<Wide>(bits | u128(isLost));
}

inline u64 flushed(const Format &f, u64 v) { return f.isSmall(v) ? v & f.sign() : v; }

/// a * b + c with everything that is not finite.
inline u64 fused(const Format &f, u64 a, u64 b, u64 c, Round round) {
  if (f.isNan(a) || f.isNan(b) || f.isNan(c))
    return f.nan();
  const u64 productSign = (a ^ b) & f.sign();
  const bool isZeroA = !(a & ~f.sign()), isZeroB = !(b & ~f.sign());
  if (f.isInfinite(a) || f.isInfinite(b)) {
    const bool isWrong = isZeroA || isZeroB || (f.isInfinite(c) && (c & f.sign()) != productSign);
    return isWrong ? f.nan() : productSign | f.infinity();
  }
  if (f.isInfinite(c))
    return c;
  const Wide x = fusedOdd(decode(f, a), decode(f, b), decode(f, c));
  if (x != 0)
    return encode(f, x, round);
  const bool isExactZero = (isZeroA || isZeroB) && !(c & ~f.sign());
  if (isExactZero && productSign == (c & f.sign()))
    return productSign;
  return round == Round::Down ? f.sign() : 0;
}

inline u64 one(const Format &f) { return u64(f.bias()) << f.digits; }
/// 0 to 1; NaN is 0.
inline u64 saturated(const Format &f, u64 v) {
  if (f.isNan(v) || (v & f.sign()))
    return 0;
  return v > one(f) ? one(f) : v;
}
/// Of the order of numbers: -0 is below +0.
inline i64 order(const Format &f, u64 v) { return v & f.sign() ? -i64(v & ~f.sign()) - 1 : i64(v); }
