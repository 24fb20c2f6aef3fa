// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of device functions that must come before <cmath> (cuda_runtime.h), and are defined
// in device_math.h: clang's, but for `pow` with an integer, whose result is a double by the
// standard library, and clang's is a float; and `nexttoward`, which clang's headers lack.
#ifndef HEDDLE_DEVICE_FORWARD_MATH_H
#define HEDDLE_DEVICE_FORWARD_MATH_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__
HEDDLE_D double pow(double, double);
HEDDLE_D double pow(double, int);
HEDDLE_D double pow(float, int);
HEDDLE_D float pow(float, float);
HEDDLE_D double nexttoward(double, long double);
HEDDLE_D float nexttoward(float, long double);
HEDDLE_D float nexttowardf(float, long double);
#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")

#define pow __heddle_hidden_pow
#include <__clang_cuda_math_forward_declares.h>
#undef pow

namespace std {
using ::nexttoward;
using ::nexttowardf;
using ::pow;
} // namespace std

#endif
