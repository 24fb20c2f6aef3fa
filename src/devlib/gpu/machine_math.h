// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Approximations that a GPU has instructions for (PTX ISA, "Floating Point Instructions": their
// bounds).
#pragma once

#include "devlib/native.h"

#ifdef __NVPTX__
#define HEDDLE_APPROXIMATION(name, instruction, type, letter, host)                                \
  __attribute__((const, nothrow, always_inline)) inline type name(type x) {                        \
    type y;                                                                                        \
    asm(instruction " %0, %1;" : "=" letter(y) : letter(x));                                       \
    return y;                                                                                      \
  }
#else // what the test measures
#define HEDDLE_APPROXIMATION(name, instruction, type, letter, host)                                \
  inline type name(type x) { return host; }
#endif

namespace heddle::devlib {
HEDDLE_APPROXIMATION(exp2Of, "ex2.approx.f32", float, "f", __builtin_exp2f(x))
/// Of no more than a few hundred, where a result below 2^-126 may be 0.
HEDDLE_APPROXIMATION(exp2OfNormal, "ex2.approx.ftz.f32", float, "f", __builtin_exp2f(x))
HEDDLE_APPROXIMATION(log2Of, "lg2.approx.f32", float, "f", __builtin_log2f(x))
HEDDLE_APPROXIMATION(sineOf, "sin.approx.f32", float, "f", __builtin_sinf(x))
HEDDLE_APPROXIMATION(cosineOf, "cos.approx.f32", float, "f", __builtin_cosf(x))
HEDDLE_APPROXIMATION(rsqrtOf, "rsqrt.approx.f32", float, "f", 1 / __builtin_sqrtf(x))
HEDDLE_APPROXIMATION(reciprocalOf, "rcp.approx.f32", float, "f", 1 / x)
HEDDLE_APPROXIMATION(reciprocalOf, "rcp.approx.ftz.f64", double, "d",
                     __builtin_bit_cast(double, __builtin_bit_cast(u64, 1 / x) & ~0xffffffffull))

/// x y + z between 0 and 1; 0 where that is no number.
inline float fmaSaturated(float x, float y, float z) {
#ifdef __NVPTX__
  float v;
  asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(x), "f"(y), "f"(z));
  return v;
#else
  const float v = fma(x, y, z);
  return v > 1 ? 1 : v > 0 ? v : 0;
#endif
}
} // namespace heddle::devlib
#undef HEDDLE_APPROXIMATION
