// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hyperbolic functions of floats, and exp(x) - 1, written like float_exp.cpp's exponentials: for
// kernels to inline and widen, without branches.
//
// The argument is n log(2) + r (of tanh n log(2) / 2 + r), and the exponential is 2^n (1 + p) with
// p = exp(r) - 1. Where n is 0 the result may be near zero. The powers of two are therefore added
// up first, exactly, to 2^n - 1 or 2^n - 2^-n, which is 0 then and leaves p alone: there is no
// second formula for small arguments, and nothing to choose between.
#include "float_coefficients.h"
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

/// e / (e + 1), e half of exp(2 |x|) - 1. What the sum is rounded by would be an ulp: the quotient
/// q is corrected by what it leaves, e - q (e + 1), over e + 1, which is 1 / (1 - q). Of huge e
/// that may go past 1.
HEDDLE_PURE float __nv_tanhf(float x) {
  float a = atMost(absolute(x), 10.0f);
  Power n = powerOf(fma(a, 0x1.715476p+1f, RoundToPower));
  float r = fma(n.value, -0x1.62e43p-2f, a);
  float p = fma(r * r, polynomial(r, TanhTail), r);
  float e = fma(n.power, p, fma(n.power, 0.5f, -0.5f)), q = e / (e + 1.0f);
  float left = fma(-q, e, e - q);
  return withSign(atMost(fma(left, 1.0f - q, q), 1.0f), x);
}

/// n is rounded so that p lies in [-1/4, 1/2): its error is less than the result's then, also
/// where most of p cancels. The last n is 127, whose r goes as far as the result is finite, and
/// further.
HEDDLE_PURE float __nv_expm1f(float x) {
  float limited = atLeast(x, -20.0f);
  float shifted = fma(limited, 0x1.715476p+0f, -0.0849625f) + RoundToPower;
  Power n = powerOf(atMost(shifted, RoundToPower + 127));
  float r = fma(n.value, -0x1.62e4p-1f, limited); // 15 bits of log(2): exact
  r = fma(n.value, -0x1.7f7d1cp-20f, r);
  float p = fma(r * r, polynomial(r, Expm1Tail), r);
  float high = n.power - 1.0f, lost = n.power - high - 1.0f; // of 2^25 and up
  return withSign(high + fma(n.power, p, lost), x);
}

namespace {

/// Of |x| = n log(2) + r: 2 sinh(r), 2 cosh(r) - 2, and the sum and the difference of 2^n / 4 and
/// 2^-n / 4.
struct Halves {
  float sine, cosine, sum, difference;
};

inline Halves halvesOf(float x) {
  constexpr u32 Quarter = 2u << 23; // a factor of 4, in the exponent
  float a = atMost(absolute(x), 89.5f);
  Power n = powerOf(fma(a, 0x1.715476p+0f, RoundToPower));
  float r = fma(n.value, -0x1.62e4p-1f, a);
  r = fma(n.value, -0x1.7f7d1cp-20f, r);
  float z = r * r, twice = r + r;
  // Of n from 126 on 2^-n / 4 is zero. 2^n is not a float of n = 128 and 129, but 2^n / 4 is.
  i32 inverse = (i32)(2 * bits(1.0f) - Quarter - bits(n.power));
  float up = fromBits(bits(n.power) - Quarter), down = fromBits(inverse > 0 ? (u32)inverse : 0u);
  return {fma(twice, z * polynomial(z, SinhTail), twice), z * polynomial(z, CoshTail), up + down,
          up - down};
}

} // namespace

HEDDLE_PURE float __nv_sinhf(float x) {
  auto [sine, cosine, sum, difference] = halvesOf(x);
  float rest = fma(difference, cosine, fma(sum, sine, difference));
  return withSign(difference + rest, x);
}

HEDDLE_PURE float __nv_coshf(float x) {
  auto [sine, cosine, sum, difference] = halvesOf(x);
  return sum + fma(sum, cosine, fma(difference, sine, sum));
}
