// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of floats, for kernels to inline and widen, without branches: 2^(y log2|x|).
//
// The product may be as large as 150, and its error is the result's: the logarithm is a sum of two
// floats, right to 2^-30 of its value. |x| = 2^e (1 + f) as for all logarithms; with s = f / (2 +
// f) log2(1 + f) is 2 log2(e) s and a term of s^3, which is 1/100 of it at most, and need not be
// more than a float: f lies between sqrt(1/2) - 1 and sqrt(2) - 1, at which log2|x| is not less.
//
// Zeros and infinities have an infinite logarithm, NaNs have NaN (Parts::special). It joins where
// the exponent of the result is found, and what is computed with the rest is limited then.
#include "float_coefficients.h"
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

/// The logarithm is high + low, or `special` where that is not zero.
struct Logarithm {
  float high, low, special;
};

inline Logarithm log2Of(float a) {
  constexpr float High = 0x1.715476p+1f, Low = 0x1.4ae0c0p-25f; // 2 log2(e)
  Parts parts = partsFrom(a, 0.707106781f);
  float e = parts.exponent, f = parts.f;
  // s and what it is too small by: 2 + f is divisor + (f - (divisor - 2)).
  float divisor = 2.0f + f, inverse = 1.0f / divisor, s = f * inverse;
  float rest = fma(-s, f - (divisor - 2.0f), fma(-s, divisor, f)) * inverse;
  float z = s * s, first = s * High;
  rest = fma(rest, z, rest); // the derivative is 2 log2(e) / (1 - s^2)
  float low = fma(rest, High, fma(s, Low, fma(s, High, -first)));
  low = fma(s * z, polynomial(z, PowerTail), low);
  float high = e + first;
  return {high, low + (first - (high - e)), parts.special};
}

} // namespace

HEDDLE_PURE float __nv_powf(float x, float y) {
  Logarithm log = log2Of(absolute(x));
  // Of an x next to 1 the result is 0 or infinity beyond 2^31. That is even, as infinity is.
  float power = clamp(y, -0x1p31f, 0x1p31f);
  float high = power * log.high, low = fma(power, log.low, fma(power, log.high, -high));
  float sum = fma(power, log.special, high) + low;
  Whole n = wholeOf(clamp(sum, -160.0f, 160.0f) + RoundToWhole);
  float f = clamp(high - n.value + low, -1.0f, 1.0f);
  float value = scale(fma(f, polynomial(f, Exp2Tail), 1.0f), n);
  value = y == 0 || x == 1 ? 1.0f : value; // also of NaNs
  // What y is away from an even number: 1 of odd ones.
  float parity = absolute(fma(__builtin_rintf(0.5f * power), -2.0f, power));
  u32 sign = parity == 1 ? bits(x) & 0x80000000 : 0;
  bool isReal = x >= 0 || x == -__builtin_inff() || parity == 0 || parity == 1;
  return fromBits(bits(value) | sign | (isReal ? 0 : 0x7fc00000u));
}
