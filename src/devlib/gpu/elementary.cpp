// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sines, logarithms and powers of floats for a GPU, within what the CUDA guide says ("Mathematical
// Functions": errors in ulp). Of a number a thread computes one function only, so branches are cheap
// where all threads of a warp agree: angles that are not large are the usual case, and the rest is a
// call. Polynomials: S. Moshier, Cephes, single precision.
#include "devlib/float_coefficients.h"
#include "devlib/float_parts.h"
#include "devlib/gpu/machine_math.h"
#include "devlib/polynomial.h"

using namespace heddle::devlib;

HEDDLE_PURE double __nv_sin(double);
HEDDLE_PURE double __nv_cos(double);

namespace {

// ---------------------------------------------------------------------------------------------------
// Sines and cosines: of x - n pi / 2, by three parts of pi / 2 (Cody and Waite), each product exact.

constexpr float SineTerms[] = {-1.6666654611e-1f, 8.3321608736e-3f, -1.9515295891e-4f};
constexpr float CosineTerms[] = {4.166664568298827e-2f, -1.388731625493765e-3f,
                                 2.443315711809948e-5f};
/// Up to here n has 17 bits.
constexpr float Large = 105615;

struct Angle {
  u32 quarters;
  float rest;
};

inline Angle reduce(float x) {
  constexpr float First = 0x1.921fb4p+0f, Second = 0x1.4442d0p-24f, Third = 0x1.84698ap-48f;
  constexpr float ToWhole = 0x1.8p23f;
  float shifted = fma(x, 0.636619772f, ToWhole), n = shifted - ToWhole;
  return {bits(shifted), fma(n, -Third, fma(n, -Second, fma(n, -First, x)))};
}

inline float sineOf(Angle angle) {
  float r = angle.rest, square = r * r;
  float cosine = fma(square * square, polynomial(square, CosineTerms), fma(square, -0.5f, 1.0f));
  float sine = fma(square * r, polynomial(square, SineTerms), r);
  float value = angle.quarters & 1 ? cosine : sine;
  return fromBits(bits(value) ^ (angle.quarters & 2) << 30);
}

__attribute__((noinline, const, nothrow)) float sineOfLarge(float x) { return (float)__nv_sin(x); }
__attribute__((noinline, const, nothrow)) float cosineOfLarge(float x) {
  return (float)__nv_cos(x);
}

// ---------------------------------------------------------------------------------------------------
// Logarithms: x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2).

constexpr float LogTerms[] = {3.3333331174e-1f,  -2.4999993993e-1f, 2.0000714765e-1f,
                              -1.6668057665e-1f, 1.4249322787e-1f,  -1.2420140846e-1f,
                              1.1676998740e-1f,  -1.1514610310e-1f, 7.0376836292e-2f};

struct Split {
  float exponent, f;
};
inline Split split(float x) {
  bool isSmall = x < 0x1p-126f;
  x = isSmall ? x * 0x1p24f : x;
  u32 above = (bits(x) - bits(0.707106781f)) & 0xff800000;
  return {fma((float)(int)above, 0x1p-23f, isSmall ? -24.0f : 0.0f), fromBits(bits(x) - above) - 1};
}
/// log(1 + f) - f.
inline float tailOf(float f) {
  float square = f * f;
  return fma(square, -0.5f, f * square * polynomial(f, LogTerms));
}
/// More than 0 and finite: one comparison of bits.
inline bool isOrdinary(float x) { return bits(x) - 1 < 0x7f7fffff; }
/// log_b(x) = e log_b(2) + (f + tail) log_b(e), of which each is a sum of two.
inline float logIn(float x, float high, float low, float twoHigh, float twoLow) {
  auto [e, f] = split(x);
  float tail = tailOf(f);
  float rest = fma(e, twoLow, fma(tail, high, f * low));
  float value = fma(e, twoHigh, fma(f, high, rest));
  return isOrdinary(x) ? value : log2Of(x); // the machine knows of what is not ordinary
}

/// 2^(high + low).
inline float power2Of(float high, float low) {
  float y = exp2Of(high), value = fma(y, low * 0.693147181f, y);
  return y > 0 && y < __builtin_inff() ? value : y;
}

} // namespace

HEDDLE_PURE float __nv_sinf(float x) {
  if (absolute(x) <= Large)
    return x == 0 ? x : sineOf(reduce(x));
  return sineOfLarge(x);
}
HEDDLE_PURE float __nv_cosf(float x) {
  if (!(absolute(x) <= Large))
    return cosineOfLarge(x);
  Angle angle = reduce(x);
  return sineOf({angle.quarters + 1, angle.rest});
}
extern "C" __attribute__((nothrow)) void __nv_sincosf(float x, float *s, float *c) {
  *s = __nv_sinf(x), *c = __nv_cosf(x);
}

/// log(x) = e log(2) + f + f^2 (-1/2 + f ...).
HEDDLE_PURE float __nv_logf(float x) {
  auto [e, f] = split(x);
  float value = fma(f * fma(f, polynomial(f, LogTerms), -0.5f), f, f);
  value = fma(e, 0.693147181f, value);
  return isOrdinary(x) ? value : log2Of(x);
}
HEDDLE_PURE float __nv_log2f(float x) { return logIn(x, 0x1.715476p+0f, 0x1.4ae0c0p-26f, 1, 0); }
HEDDLE_PURE float __nv_log10f(float x) {
  return logIn(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f, 0x1.3509f8p-18f);
}

/// As float_pow.cpp, with the machine's estimates.
HEDDLE_PURE float __nv_powf(float x, float y) {
  constexpr float High = 0x1.715476p+1f, Low = 0x1.4ae0c0p-25f; // 2 log2(e)
  float a = absolute(x);
  auto [e, f] = split(a);
  float divisor = 2.0f + f, inverse = reciprocalOf(divisor), s = f * inverse;
  float lost = fma(-s, f - (divisor - 2.0f), fma(-s, divisor, f)) * inverse;
  float z = s * s, first = s * High;
  lost = fma(lost, z, lost);
  float low =
      fma(s * z, polynomial(z, PowerTail), fma(lost, High, fma(s, Low, fma(s, High, -first))));
  float high = e + first;
  low += first - (high - e);
  float power = clamp(y, -0x1p31f, 0x1p31f);
  float product = power * high, rest = fma(power, low, fma(power, high, -product));
  float sum = product + rest;
  float value = power2Of(sum, rest - (sum - product));
  if (!isOrdinary(a)) // 0, infinity, NaN
    value = a != a || y != y ? a + y : (a == 0) == (y < 0) ? __builtin_inff() : 0.0f;
  else if (absolute(y) == __builtin_inff() || y != y)
    value = y != y ? y : a == 1 ? 1.0f : (a > 1) == (y > 0) ? __builtin_inff() : 0.0f;
  value = y == 0 || x == 1 ? 1.0f : value; // also of NaNs
  float parity = absolute(fma(__builtin_rintf(0.5f * power), -2.0f, power));
  u32 sign = parity == 1 ? bits(x) & 0x80000000 : 0;
  bool isReal = x >= 0 || x == -__builtin_inff() || parity == 0 || parity == 1;
  return fromBits(bits(value) | sign | (isReal ? 0 : 0x7fc00000u));
}

HEDDLE_PURE float __nv_tanhf(float x) {
  constexpr float Terms[] = {-3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f,
                             2.06390887954e-2f, -5.70498872745e-3f};
  float a = absolute(x), square = x * x;
  if (a < 0.625f)
    return x == 0 ? x : fma(x * square, polynomial(square, Terms), x);
  float t = a * 0x1.715476p+1f, lost = fma(a, 0x1.715476p+1f, -t);
  float value = fma(-2.0f, reciprocalOf(power2Of(t, lost) + 1), 1.0f);
  return x != x ? x : fromBits(bits(value) | (bits(x) & 0x80000000));
}
