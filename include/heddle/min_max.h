// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// min and max in the global namespace for host and device code, mixed types included (CUDA math
// API). Two operands of different signedness compare as unsigned, as C's conversions do.
#ifndef HEDDLE_MIN_MAX_H
#define HEDDLE_MIN_MAX_H

#pragma push_macro("HEDDLE_HD")
#define HEDDLE_HD static __host__ __device__ __forceinline__
#define HEDDLE_MIN_MAX(R, A, B)                                                                    \
  HEDDLE_HD R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; }                                  \
  HEDDLE_HD R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
#define HEDDLE_MIN_MAX_MIXED(S, U)                                                                 \
  HEDDLE_MIN_MAX(U, U, U)                                                                          \
  HEDDLE_MIN_MAX(U, S, U)                                                                          \
  HEDDLE_MIN_MAX(U, U, S)
HEDDLE_MIN_MAX_MIXED(int, unsigned int)
HEDDLE_MIN_MAX(long, long, long)
HEDDLE_MIN_MAX_MIXED(long, unsigned long)
HEDDLE_MIN_MAX(long long, long long, long long)
HEDDLE_MIN_MAX_MIXED(long long, unsigned long long)
// clang's header has the device side of this one.
static __host__ __forceinline__ int min(int a, int b) { return a < b ? a : b; }
static __host__ __forceinline__ int max(int a, int b) { return a > b ? a : b; }
#undef HEDDLE_MIN_MAX
#undef HEDDLE_MIN_MAX_MIXED
// IEEE minNum and maxNum: a NaN gives the other operand.
HEDDLE_HD float min(float a, float b) { return __builtin_fminf(a, b); }
HEDDLE_HD float max(float a, float b) { return __builtin_fmaxf(a, b); }
HEDDLE_HD double min(double a, double b) { return __builtin_fmin(a, b); }
HEDDLE_HD double max(double a, double b) { return __builtin_fmax(a, b); }
HEDDLE_HD double min(float a, double b) { return __builtin_fmin(a, b); }
HEDDLE_HD double max(float a, double b) { return __builtin_fmax(a, b); }
HEDDLE_HD double min(double a, float b) { return __builtin_fmin(a, b); }
HEDDLE_HD double max(double a, float b) { return __builtin_fmax(a, b); }
#undef HEDDLE_HD
#pragma pop_macro("HEDDLE_HD")
#endif
