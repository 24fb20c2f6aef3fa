// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse hyperbolic functions of floats, for kernels to inline and widen, without branches:
// log(1 + v), whose v is right to an ulp or two also next to zero. A quarter of it is taken where v
// itself, about twice the argument, might be no float anymore.
#include "float_parts.h"

using namespace heddle::devlib;

HEDDLE_PURE float __nv_log1pf(float x);

namespace {

constexpr float Huge = 0x1p30f; // 1 is nothing beside it, nor beside its quarter

struct Scaled {
  float value, logarithm; ///< a and 0, or a / 4 and log(4)
};

inline Scaled scaledOf(float a) {
  u32 huge = a > Huge ? ~0u : 0u;
  return {a * fromBits(bits(1.0f) - (huge & 2u << 23)), fromBits(huge & bits(1.38629436f))};
}

} // namespace

/// v = sqrt(1 + a^2) - 1 + a.
HEDDLE_PURE float __nv_asinhf(float x) {
  float a = absolute(x), limited = atMost(a, Huge);
  float ratio = limited / (1.0f + __builtin_sqrtf(fma(limited, limited, 1.0f)));
  auto [value, logarithm] = scaledOf(a);
  return withSign(__nv_log1pf(fma(value, ratio, value)) + logarithm, x);
}

/// v = t + sqrt(t (t + 2)), t = x - 1.
HEDDLE_PURE float __nv_acoshf(float x) {
  auto [value, logarithm] = scaledOf(x);
  float t = value - 1.0f;
  return __nv_log1pf(fma(__builtin_sqrtf(t), __builtin_sqrtf(t + 2.0f), t)) + logarithm;
}

/// Half of it, with v = 2 a / (1 - a).
HEDDLE_PURE float __nv_atanhf(float x) {
  float a = absolute(x);
  return withSign(0.5f * __nv_log1pf((a + a) / (1.0f - a)), x);
}
