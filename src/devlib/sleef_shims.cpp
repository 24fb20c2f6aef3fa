// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that simt maps to SLEEF, as the device gets them: one lane of the vector function.
#include "sleef_scalar.h"

using namespace heddle::devlib;

#define HEDDLE_SHIM_32_1(NAME)                                                                     \
  extern "C" float NAME(float x) {                                                                 \
    static const auto function = sleef1<float>(#NAME);                                             \
    return function(x);                                                                            \
  }
#define HEDDLE_SHIM_64_1(NAME)                                                                     \
  extern "C" double NAME(double x) {                                                               \
    static const auto function = sleef1<double>(#NAME);                                            \
    return function(x);                                                                            \
  }
#define HEDDLE_SHIM_32_2(NAME)                                                                     \
  extern "C" float NAME(float x, float y) {                                                        \
    static const auto function = sleef2<float>(#NAME);                                             \
    return function(x, y);                                                                         \
  }
#define HEDDLE_SHIM_64_2(NAME)                                                                     \
  extern "C" double NAME(double x, double y) {                                                     \
    static const auto function = sleef2<double>(#NAME);                                            \
    return function(x, y);                                                                         \
  }
#define HEDDLE_MATH(NAME, BITS, ARITY, SLEEF, ACCURACY, SCALAR) HEDDLE_SHIM_##BITS##_##ARITY(NAME)
#include "simt/math.def"
