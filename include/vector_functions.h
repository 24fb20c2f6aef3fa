// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// make_int2 and its like: one function for each builtin vector type.
#ifndef HEDDLE_VECTOR_FUNCTIONS_H
#define HEDDLE_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#include <limits.h>
#include <stddef.h>

#define HEDDLE_MAKE(T, name)                                                                       \
  static __inline__ __host__ __device__ name##1 make_##name##1(T x) {                              \
    name##1 t;                                                                                     \
    t.x = x;                                                                                       \
    return t;                                                                                      \
  }                                                                                                \
  static __inline__ __host__ __device__ name##2 make_##name##2(T x, T y) {                         \
    name##2 t;                                                                                     \
    t.x = x, t.y = y;                                                                              \
    return t;                                                                                      \
  }                                                                                                \
  static __inline__ __host__ __device__ name##3 make_##name##3(T x, T y, T z) {                    \
    name##3 t;                                                                                     \
    t.x = x, t.y = y, t.z = z;                                                                     \
    return t;                                                                                      \
  }                                                                                                \
  static __inline__ __host__ __device__ name##4 make_##name##4(T x, T y, T z, T w) {               \
    name##4 t;                                                                                     \
    t.x = x, t.y = y, t.z = z, t.w = w;                                                            \
    return t;                                                                                      \
  }

HEDDLE_MAKE(signed char, char)
HEDDLE_MAKE(unsigned char, uchar)
HEDDLE_MAKE(short, short)
HEDDLE_MAKE(unsigned short, ushort)
HEDDLE_MAKE(int, int)
HEDDLE_MAKE(unsigned int, uint)
HEDDLE_MAKE(long int, long)
HEDDLE_MAKE(unsigned long int, ulong)
HEDDLE_MAKE(long long int, longlong)
HEDDLE_MAKE(unsigned long long int, ulonglong)
HEDDLE_MAKE(float, float)
HEDDLE_MAKE(double, double)
#undef HEDDLE_MAKE

#if HEDDLE_CUDA_VERSION >= 13
#define HEDDLE_MAKE_AS(T, type)                                                                    \
  static __inline__ __host__ __device__ type make_##type(T x, T y, T z, T w) {                     \
    type t;                                                                                        \
    t.x = x, t.y = y, t.z = z, t.w = w;                                                            \
    return t;                                                                                      \
  }
#define HEDDLE_MAKE(T, name)                                                                       \
  HEDDLE_MAKE_AS(T, name##4_16a)                                                                   \
  HEDDLE_MAKE_AS(T, name##4_32a)
HEDDLE_MAKE(long int, long)
HEDDLE_MAKE(unsigned long int, ulong)
HEDDLE_MAKE(long long int, longlong)
HEDDLE_MAKE(unsigned long long int, ulonglong)
HEDDLE_MAKE(double, double)
#undef HEDDLE_MAKE
#undef HEDDLE_MAKE_AS
#endif

#endif
