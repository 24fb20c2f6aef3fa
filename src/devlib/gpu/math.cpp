// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematics that a GPU has instructions for, and building blocks of the float functions (native.h).
#include "devlib/gpu/machine_math.h"

using namespace heddle::devlib;

// The `__expf` family (CUDA guide, "Intrinsic Functions").
HEDDLE_OP float __nv_fast_sinf(float x) { return sineOf(x); }
HEDDLE_OP float __nv_fast_cosf(float x) { return cosineOf(x); }
extern "C" __attribute__((nothrow, always_inline)) void __nv_fast_sincosf(float x, float *s,
                                                                          float *c) {
  *s = sineOf(x);
  *c = cosineOf(x);
}
HEDDLE_OP float __nv_fast_expf(float x) { return exp2Of(x * 1.44269504f); }
HEDDLE_OP float __nv_fast_exp10f(float x) { return exp2Of(x * 3.32192809f); }
HEDDLE_OP float __nv_fast_log2f(float x) { return log2Of(x); }
HEDDLE_OP float __nv_fast_logf(float x) { return log2Of(x) * 0.693147181f; }
HEDDLE_OP float __nv_fast_log10f(float x) { return log2Of(x) * 0.301029996f; }
HEDDLE_OP float __nv_fast_powf(float x, float y) { return exp2Of(y * log2Of(x)); }
HEDDLE_OP float __nv_fast_tanhf(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
HEDDLE_OP float __nv_fast_divide(float x, float y) {
  float q;
  asm("div.approx.f32 %0, %1, %2;" : "=f"(q) : "f"(x), "f"(y));
  return q;
}
HEDDLE_OP float __nv_fast_fdividef(float x, float y) { return __nv_fast_divide(x, y); }
HEDDLE_OP float __nv_fast_tanf(float x) { return __nv_fast_divide(sineOf(x), cosineOf(x)); }

// Within 2 ulp.
HEDDLE_OP float __nv_rsqrtf(float x) { return rsqrtOf(x); }

/// b^x = 2^n 2^f, n + f = x log2(b), n a whole number from -126 to 126. So f is at most 1/2 and a little, but
/// where the result is below 2^-126 or above 2^126: there f has the rest, and the product is rounded
/// once, to a subnormal number, 0 or infinity. `log2b` and `rest` are log2(b) in two parts. One saturated
/// operation bounds x log2(b) / 252 + 1/2. The sum with ToWhole has n + 127, the exponent's bits of 2^n, in
/// its last bits.
static inline float powerOf(float x, float log2b, float rest) {
  constexpr float Span = 252, ToWhole = 0x1.8p23f + 127;
  const float part = fmaSaturated(x, log2b / Span, 0.5f);
  const float shifted = fma(part, Span, ToWhole - Span / 2);
  const float n = shifted - ToWhole;
  const float f = fma(x, rest, fma(x, log2b, -n));
  return exp2OfNormal(f) * fromBits(bits(shifted) << 23);
}
HEDDLE_OP float __nv_expf(float x) { return powerOf(x, 0x1.715476p+0f, 0x1.4ae0cp-26f); }
HEDDLE_OP float __nv_exp2f(float x) { return exp2Of(x); }
HEDDLE_OP float __nv_exp10f(float x) { return powerOf(x, 0x1.a934f0p+1f, 0x1.2f346ep-24f); }

// Roots and their like of doubles begin with the machine's estimate.
HEDDLE_PURE float __heddle_rsqrt_estimate(float x) { return rsqrtOf(x); }
HEDDLE_PURE float __heddle_reciprocal_estimate(float x) { return reciprocalOf(x); }
HEDDLE_PURE bool __heddle_has_estimates() { return true; }

// Directed roundings are instructions.
#define ROUNDED(T, name, op, type, letter)                                                         \
  HEDDLE_OP T __nv_##name##_rz(T a, T b) {                                                         \
    T r;                                                                                           \
    asm(op ".rz." type " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b));                     \
    return r;                                                                                      \
  }                                                                                                \
  HEDDLE_OP T __nv_##name##_ru(T a, T b) {                                                         \
    T r;                                                                                           \
    asm(op ".rp." type " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b));                     \
    return r;                                                                                      \
  }                                                                                                \
  HEDDLE_OP T __nv_##name##_rd(T a, T b) {                                                         \
    T r;                                                                                           \
    asm(op ".rm." type " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b));                     \
    return r;                                                                                      \
  }
ROUNDED(float, fadd, "add", "f32", "f")
ROUNDED(float, fsub, "sub", "f32", "f")
ROUNDED(float, fmul, "mul", "f32", "f")
ROUNDED(float, fdiv, "div", "f32", "f")
ROUNDED(double, dadd, "add", "f64", "d")
ROUNDED(double, dsub, "sub", "f64", "d")
ROUNDED(double, dmul, "mul", "f64", "d")
ROUNDED(double, ddiv, "div", "f64", "d")
