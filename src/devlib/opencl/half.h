// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cl_khr_fp16: between half and float, in vectors of all sizes. Float holds the product of two halves, and their quotient
// and root well enough to round a second time, so most functions of halves are those of floats.
#pragma once

#include "builtins.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define INTERNAL static inline __attribute__((overloadable, const, unused))

INTERNAL float widen(half x) { return x; }
INTERNAL half narrow(float x) { return (half)x; }
#define BETWEEN(n, _)                                                                              \
  INTERNAL float##n widen(half##n x) { return __builtin_convertvector(x, float##n); }              \
  INTERNAL half##n narrow(float##n x) { return __builtin_convertvector(x, half##n); }
EACH_VECTOR(BETWEEN, )
#undef BETWEEN
