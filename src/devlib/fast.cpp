// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The approximate functions (__sinf, __expf, ...), within the bounds that the CUDA guide gives for
// them
// ("Mathematical Functions", "Intrinsic Functions"): a few dozen vector instructions, no branch, no
// table.
#include "coefficients.h"
#include "float_coefficients.h"
#include "float_parts.h"
#include "polynomial.h"

using namespace heddle::devlib;

namespace {

/// sin(x - shift * pi) for shift 0 and sin(x + pi/2) for shift -1/2: reduced to [-pi/2, pi/2] by
/// multiples of pi, with pi in two floats. Beyond about 10^5 what is left of the argument is noise,
/// as it is on a GPU; it is clamped so that the result stays within [-1, 1].
inline float sineOf(float x, float shift) {
  float n = __builtin_rintf(fma(x, 0x1.45f306p-2f, -shift)) + shift;
  float r = fma(n, -0x1.921fb6p+1f, x);
  r = fma(n, 0x1.777a5cp-24f, r);
  r = r > 1.5707964f ? 1.5707964f : r < -1.5707964f ? -1.5707964f : r;
  float value = r * polynomial(fma(r * r, 0.81056947f, -1.0f), SinTable);
  // An odd number of half turns changes the sign. Past 2^23 the number's parity is lost too.
  int half = absolute(n) < 0x1p23f ? (int)(n - shift) & 1 : 0;
  return half ? -value : value;
}

inline float exp2Of(float x) {
  float limited = clamp(x, -151.0f, 129.0f);
  Whole n = wholeOf(limited + RoundToWhole);
  float f = limited - n.value;
  return scale(fma(f, polynomial(f, FastExp2Tail), 1.0f), n);
}

inline float log2Of(float x) {
  Parts parts = partsOf(x);
  return fma(parts.f, polynomial(parts.f, FastLog2Tail), parts.exponent + parts.special);
}

} // namespace

HEDDLE_PURE float __nv_fast_sinf(float x) { return sineOf(x, 0.0f); }
HEDDLE_PURE float __nv_fast_cosf(float x) { return sineOf(x, -0.5f); }
HEDDLE_OUT void __nv_fast_sincosf(float x, float *s, float *c) {
  *s = __nv_fast_sinf(x);
  *c = __nv_fast_cosf(x);
}
HEDDLE_PURE float __nv_fast_tanf(float x) { return __nv_fast_sinf(x) / __nv_fast_cosf(x); }
/// The whole number of log(2) is taken away in one step, which a product with log2(e) would lose
/// more by: at x = 80 it is 4 ulp.
HEDDLE_PURE float __nv_fast_expf(float x) {
  x = clamp(x, -105.0f, 89.0f);
  Whole n = wholeOf(fma(x, 0x1.715476p+0f, RoundToWhole));
  float r = fma(n.value, -0x1.62e43p-1f, x);
  return scale(fma(r, polynomial(r, FastExpTail), 1.0f), n);
}
HEDDLE_PURE float __nv_fast_exp10f(float x) { return exp2Of(x * 3.32192809f); }
HEDDLE_PURE float __nv_fast_log2f(float x) { return log2Of(x); }
HEDDLE_PURE float __nv_fast_logf(float x) { return log2Of(x) * 0.693147181f; }
HEDDLE_PURE float __nv_fast_log10f(float x) { return log2Of(x) * 0.301029996f; }
HEDDLE_PURE float __nv_fast_powf(float x, float y) { return exp2Of(y * log2Of(x)); }
/// Odd, and 1 from where it is that to 2^-13.
HEDDLE_PURE float __nv_fast_tanhf(float x) {
  float a = atMost(absolute(x), 5.4f), z = a * a;
  float value = a * polynomial(z, FastTanhAbove) / polynomial(z, FastTanhBelow);
  return withSign(atMost(value, 1.0f), x);
}
/// What `/` is with -use_fast_math: Newton's step leaves 2^-28 and two roundings, where the guide
/// allows 2 ulp. Beside the divisors whose estimate is 0 or infinite, and right, the residue lies
/// between -1 and 1.
HEDDLE_PURE float __nv_fast_divide(float x, float y) {
  if (!__heddle_has_estimates())
    return x / y;
  float inverse = __heddle_reciprocal_estimate(y), residue = fma(-y, inverse, 1.0f);
  return x * fma(inverse, residue >= -1.0f ? residue : 1.0f, inverse);
}
/// Exact division; but a huge divisor counts as infinite: it gives 0, or NaN for an infinite dividend,
/// as documented.
HEDDLE_PURE float __nv_fast_fdividef(float x, float y) {
  return x / (absolute(y) > 0x1p126f ? copySign(__builtin_inff(), y) : y);
}
