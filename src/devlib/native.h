// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is one instruction on some machines (simt/lower/native.cpp) and a few elsewhere (native.cpp),
// with the same results: the building blocks of the float functions.
#pragma once

#include "devlib.h"

/// Added to a float of at most 2^21, and taken away again, it leaves the nearest whole number n;
/// the low bits of the sum are n + 254, in two's complement.
inline constexpr float RoundToWhole = 0x1.8p23f + 254;

/// x * 2^n with one rounding, for n whole and within +-252 (or NaN) and |x| between 1/8 and 8 (or
/// NaN). `shifted` is n + RoundToWhole.
HEDDLE_PURE float __heddle_scale(float x, float n, float shifted);
/// Whether the machine has instructions for the next two; float_parts.h does without.
HEDDLE_PURE bool __heddle_has_exponents();
/// The exponent of |x| as a float: floor(log2(|x|)); -infinity for 0, infinity for infinity.
HEDDLE_PURE float __heddle_exponent(float x);
/// x without its exponent: in [0.75, 1.5) for x > 0, also if denormal; 1 or -1 for a zero, 1 for
/// +infinity, NaN for x < 0.
HEDDLE_PURE float __heddle_mantissa(float x);
/// Whether the machine has instructions for the next two, to 2^-14.
HEDDLE_PURE bool __heddle_has_estimates();
/// About 1 / sqrt(x), also for denormal x; infinity for 0 (with its sign), 0 for infinity, NaN for
/// x < 0.
HEDDLE_PURE float __heddle_rsqrt_estimate(float x);
/// About 1 / x; infinity for 0 and what is too small, 0 for infinity, each with its sign.
HEDDLE_PURE float __heddle_reciprocal_estimate(float x);
/// a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w of four bytes each, with signs or without; what
/// __dp4a adds (PTX ISA, "dp4a").
HEDDLE_PURE int __heddle_dot(int a, int b);
HEDDLE_PURE unsigned __heddle_dot_unsigned(unsigned a, unsigned b);
/// The whole part of a float that an int can hold: the conversion without its test for others
/// (simt/lower/lower_nvvm.cpp).
HEDDLE_PURE int __heddle_int_of(float x);
