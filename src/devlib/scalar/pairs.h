// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of twice the precision: the sum of two doubles, of which the second is at most half a unit
// in the last place of the first.
#pragma once

#include "../devlib.h"
#include "../polynomial.h"

namespace heddle::devlib {

/// The sum of what does not overlap much: |a| >= |b|, or a is 0.
static inline Exact fastSum(double a, double b) {
  double s = a + b;
  return {s, b - (s - a)};
}
static inline Exact add(Exact a, Exact b) {
  Exact high = twoSum(a.high, b.high), low = twoSum(a.low, b.low);
  high = fastSum(high.high, high.low + low.high);
  return fastSum(high.high, high.low + low.low);
}
static inline Exact multiply(Exact a, Exact b) {
  Exact p = twoProduct(a.high, b.high);
  return fastSum(p.high, p.low + fma(a.high, b.low, a.low * b.high));
}
static inline Exact divide(Exact a, Exact b) {
  double q = a.high / b.high;
  Exact back = multiply({q, 0}, b);
  return fastSum(q, (a.high - back.high - back.low + a.low) / b.high);
}
static inline Exact negate(Exact a) { return {-a.high, -a.low}; }
static inline double rounded(Exact a) { return a.high + a.low; }

inline constexpr Exact Log2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr Exact Log10 = {0x1.26bb1bbb55516p+1, -0x1.f48ad494ea3e9p-53};
inline constexpr Exact PerLog2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
inline constexpr Exact PerLog10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
inline constexpr Exact Pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
inline constexpr Exact HalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// exp of a pair; infinite or 0 past the ends.
double expOf(Exact x);
/// log of x * 2^exponent for a normal x > 0, to some 2^-65.
Exact logOf(double x, double low);

} // namespace heddle::devlib
