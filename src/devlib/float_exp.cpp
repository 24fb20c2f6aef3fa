// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exponentials and logarithms of floats.
//
// Written to be inlined into kernels and widened there: no branch, no table, no call around which a
// kernel would have to save its vector registers. Infinities, zeros, denormals and NaNs go through
// the same operations as everything else (native.h does most of that).
//
// exp: x = n log(2) + r with |r| <= log(2) / 2, exp(x) = 2^n exp(r). What is added last is 1 or r,
// so the errors of the tail hardly count.
//
// log: x = 2^e m with m in [3/4, 3/2), so that e is 0 on both sides of 1; f = m - 1 is exact.
// log(x) = e log(2) + f + f^2 tail(f). What the sum of the first two loses is added to the tail:
// the result may lie one power of two lower than the sum.
#include "float_coefficients.h"
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

HEDDLE_PURE float __nv_expf(float x) {
  x = clamp(x, -105.0f, 89.0f);
  Whole n = wholeOf(fma(x, 0x1.715476p+0f, RoundToWhole));
  float r = fma(n.value, -0x1.62e4p-1f, x); // 15 bits of log(2): exact
  r = fma(n.value, -0x1.7f7d1cp-20f, r);
  return scale(1.0f + fma(r * r, polynomial(r, ExpTail), r), n);
}

HEDDLE_PURE float __nv_exp2f(float x) {
  x = clamp(x, -151.0f, 129.0f);
  Whole n = wholeOf(x + RoundToWhole);
  float f = x - n.value;
  return scale(fma(f, polynomial(f, Exp2Tail), 1.0f), n);
}

HEDDLE_PURE float __nv_exp10f(float x) {
  x = clamp(x, -46.0f, 39.0f);
  Whole n = wholeOf(fma(x, 0x1.a934fp+1f, RoundToWhole));
  float r = fma(n.value, -0x1.344p-2f, x); // log10(2)
  r = fma(n.value, -0x1.3509f8p-18f, r);
  return scale(fma(r, polynomial(r, Exp10Tail), 1.0f), n);
}

HEDDLE_PURE float __nv_logf(float x) {
  Parts parts = partsOf(x);
  float e = parts.exponent, f = parts.f;
  float high = e * 0x1.62e4p-1f; // exact
  float sum = high + f, lost = f - (sum - high);
  return logarithm(parts, sum + fma(f * f, polynomial(f, LogTail), fma(e, 0x1.7f7d1cp-20f, lost)));
}

/// The last steps in double: as a sum of floats it would need more of them.
HEDDLE_PURE float __nv_log2f(float x) {
  Parts parts = partsOf(x);
  double f = (double)parts.f, tail = (double)polynomial(parts.f, Log2Tail);
  double exponent = (double)(parts.exponent + parts.special);
  return (float)fma(f, fma(f, tail, 1.4426950408889634), exponent);
}

HEDDLE_PURE float __nv_log10f(float x) {
  constexpr float Factor = 0x1.bcb7b2p-2f; // log10(e), and what it lacks
  Parts parts = partsOf(x);
  float e = parts.exponent, f = parts.f;
  float high = e * 0x1.344p-2f; // exact
  float sum = fma(f, Factor, high), lost = fma(f, Factor, high - sum);
  float rest = fma(f, -0x1.5b235ep-27f, fma(e, 0x1.3509f8p-18f, lost));
  return logarithm(parts, sum + fma(f * f * polynomial(f, LogTail), Factor, rest));
}

/// log(u) of u = 1 + x, rounded, with what that lost: x = (u - 1) + lost is exact. u = 2^e m, and
/// lost / 2^e is added to f = m - 1; where e is 0 that is x.
HEDDLE_PURE float __nv_log1pf(float x) {
  float u = 1.0f + x, lost = x - (u - 1.0f);
  u32 above = bits(u) - bits(0.75f), exponent = above & 0xff800000;
  float e = (float)((i32)above >> 23), m = fromBits(bits(u) - exponent) - 1.0f;
  i32 inverse = (i32)(bits(1.0f) - exponent); // negative where e is 128
  lost *= fromBits(inverse > 0 ? (u32)inverse : 0u);
  float f = m + lost, high = e * 0x1.62e4p-1f; // exact
  float sum = high + m, rest = m - (sum - high) + fma(e, 0x1.7f7d1cp-20f, lost);
  float value = sum + fma(f * f, polynomial(f, LogTail), rest);
  u32 outside = (x <= -1 ? 0xff800000u : 0u) | (x < -1 ? 0x7fc00000u : 0u);
  return withSign(x < __builtin_inff() ? value + fromBits(outside) : x, x);
}
