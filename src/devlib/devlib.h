// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device library's files share. The library is freestanding C++ compiled to nvptx64
// bitcode; it takes libdevice's place and has its names (__nv_sinf, ...). It is also compiled for
// the host, as CUDA's math functions for host code and to be measured against MPFR.
//
// No function may contract a * b + c by itself: the directed roundings and the compensated sums
// count on each operation being rounded. So the build says -ffp-contract=off and the code says fma
// where it means it.
#pragma once

#define HEDDLE_PURE extern "C" __attribute__((const, nothrow))
/// For functions of one or two instructions.
#define HEDDLE_OP extern "C" __attribute__((const, nothrow, always_inline))
/// For functions that also write through a pointer.
#define HEDDLE_OUT extern "C" __attribute__((nothrow))

// Functions that src/simt/math.def maps to SLEEF; the library uses them too.
HEDDLE_PURE double __nv_exp(double);
HEDDLE_PURE double __nv_expm1(double);
HEDDLE_PURE double __nv_log(double);
HEDDLE_PURE double __nv_log1p(double);
HEDDLE_PURE double __nv_sin(double);
HEDDLE_PURE double __nv_cos(double);
HEDDLE_PURE double __nv_erf(double);
HEDDLE_PURE double __nv_erfc(double);
HEDDLE_PURE double __nv_pow(double, double);
HEDDLE_PURE double __nv_cbrt(double);
HEDDLE_PURE double __nv_sinpi(double);
HEDDLE_PURE double __nv_cospi(double);
HEDDLE_PURE float __nv_expf(float);
HEDDLE_PURE float __nv_log2f(float);
HEDDLE_PURE float __nv_sinf(float);
HEDDLE_PURE float __nv_cosf(float);
HEDDLE_PURE float __nv_sinpif(float);
HEDDLE_PURE float __nv_cospif(float);
HEDDLE_PURE float __nv_cbrtf(float);

namespace heddle::devlib {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

static inline u32 bits(float x) { return __builtin_bit_cast(u32, x); }
static inline u64 bits(double x) { return __builtin_bit_cast(u64, x); }
static inline float fromBits(u32 x) { return __builtin_bit_cast(float, x); }
static inline double fromBits(u64 x) { return __builtin_bit_cast(double, x); }

static inline float absolute(float x) { return __builtin_fabsf(x); }
static inline double absolute(double x) { return __builtin_fabs(x); }
static inline float copySign(float x, float s) { return __builtin_copysignf(x, s); }
static inline double copySign(double x, double s) { return __builtin_copysign(x, s); }
static inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline bool isNan(float x) { return x != x; }
static inline bool isNan(double x) { return x != x; }
static inline bool isInf(float x) { return absolute(x) == __builtin_inff(); }
static inline bool isInf(double x) { return absolute(x) == __builtin_inf(); }
static inline bool signBit(float x) { return bits(x) >> 31; }
static inline bool signBit(double x) { return bits(x) >> 63; }

/// 2^n for -1022 <= n <= 1023.
static inline double power2(int n) { return fromBits((u64)(n + 1023) << 52); }

/// The number just below (above) x. Infinities are ordered like numbers; not for NaN.
static inline float nextDown(float x) {
  return x == 0 ? -fromBits(1u) : fromBits(bits(x) + (x > 0 ? -1u : 1u));
}
static inline double nextDown(double x) {
  return x == 0 ? -fromBits(1ull) : fromBits(bits(x) + (x > 0 ? -1ull : 1ull));
}
static inline float nextUp(float x) { return -nextDown(-x); }
static inline double nextUp(double x) { return -nextDown(-x); }

/// high + low is exactly what was asked for, high its rounding to nearest.
struct Exact {
  double high, low;
};

/// a + b (Knuth's 2Sum): exact unless it overflows.
static inline Exact twoSum(double a, double b) {
  double s = a + b, t = s - a;
  return {s, (a - (s - t)) + (b - t)};
}
/// a * b: exact unless it over- or underflows.
static inline Exact twoProduct(double a, double b) {
  double p = a * b;
  return {p, fma(a, b, -p)};
}

} // namespace heddle::devlib
