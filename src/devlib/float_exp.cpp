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
#include "native.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

/// Between low and high; a NaN stays.
inline float clamp(float x, float low, float high) {
  float y = x > high ? high : x;
  return y < low ? low : y;
}

struct Logarithm {
  float exponent, f;
};
inline Logarithm split(float x) {
  float m = __heddle_mantissa(x);
  return {__heddle_exponent(x) - __heddle_exponent(m), m - 1.0f};
}

} // namespace

HEDDLE_PURE float __nv_expf(float x) {
  x = clamp(x, -104.0f, 89.0f);
  float n = __builtin_rintf(x * 0x1.715476p+0f);
  float r = fma(n, -0x1.62e4p-1f, x); // 15 bits of log(2): exact
  r = fma(n, -0x1.7f7d1cp-20f, r);
  return __heddle_scale(1.0f + fma(r * r, polynomial(r, ExpTail), r), n);
}

HEDDLE_PURE float __nv_exp2f(float x) {
  x = clamp(x, -151.0f, 129.0f);
  float n = __builtin_rintf(x), f = x - n;
  return __heddle_scale(fma(f, polynomial(f, Exp2Tail), 1.0f), n);
}

HEDDLE_PURE float __nv_exp10f(float x) {
  x = clamp(x, -46.0f, 39.0f);
  float n = __builtin_rintf(x * 0x1.a934fp+1f);
  float r = fma(n, -0x1.344p-2f, x); // log10(2)
  r = fma(n, -0x1.3509f8p-18f, r);
  return __heddle_scale(fma(r, polynomial(r, Exp10Tail), 1.0f), n);
}

HEDDLE_PURE float __nv_logf(float x) {
  auto [e, f] = split(x);
  float high = e * 0x1.62e4p-1f; // exact
  float sum = high + f, lost = f - (sum - high);
  float value = sum + fma(f * f, polynomial(f, LogTail), fma(e, 0x1.7f7d1cp-20f, lost));
  return absolute(e) < __builtin_inff() ? value : e;
}

/// The last steps in double: as a sum of floats it would need more of them.
HEDDLE_PURE float __nv_log2f(float x) {
  auto [e, f] = split(x);
  double tail = (double)polynomial(f, Log2Tail), wide = (double)f;
  return (float)fma(wide, fma(wide, tail, 1.4426950408889634), (double)e);
}

HEDDLE_PURE float __nv_log10f(float x) {
  auto [e, f] = split(x);
  float tail = f * f * polynomial(f, LogTail);
  return fma(fma(e, 0x1.62e43p-1f, f), 0x1.bcb7b2p-2f, tail * 0x1.bcb7b2p-2f);
}
