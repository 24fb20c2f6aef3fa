// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The builtin vector types and dim3 (CUDA guide, "Built-in Vector Types"), for C and C++. The
// guide's table fixes their alignment: two and four elements are aligned as one unit, at most 16
// bytes; one and three as their element.
#ifndef HEDDLE_VECTOR_TYPES_H
#define HEDDLE_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define HEDDLE_VECTOR(T, name, align2, align4)                                                     \
  struct name##1 { T x; };                                                                         \
  struct __attribute__((aligned(align2))) name##2 { T x, y; };                                     \
  struct name##3 { T x, y, z; };                                                                   \
  struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; };                               \
  typedef struct name##1 name##1;                                                                  \
  typedef struct name##2 name##2;                                                                  \
  typedef struct name##3 name##3;                                                                  \
  typedef struct name##4 name##4;

HEDDLE_VECTOR(signed char, char, 2, 4)
HEDDLE_VECTOR(unsigned char, uchar, 2, 4)
HEDDLE_VECTOR(short, short, 4, 8)
HEDDLE_VECTOR(unsigned short, ushort, 4, 8)
HEDDLE_VECTOR(int, int, 8, 16)
HEDDLE_VECTOR(unsigned int, uint, 8, 16)
HEDDLE_VECTOR(long, long, (2 * sizeof(long)), 16)
HEDDLE_VECTOR(unsigned long, ulong, (2 * sizeof(long)), 16)
HEDDLE_VECTOR(long long, longlong, 16, 16)
HEDDLE_VECTOR(unsigned long long, ulonglong, 16, 16)
HEDDLE_VECTOR(float, float, 8, 16)
HEDDLE_VECTOR(double, double, 16, 16)
#undef HEDDLE_VECTOR

#include "heddle/cuda_version.h"
#if HEDDLE_CUDA_VERSION >= 13 // whose names say how four elements of eight bytes are aligned
#define HEDDLE_VECTOR(T, name)                                                                     \
  struct __attribute__((aligned(16))) name##4_16a { T x, y, z, w; };                               \
  struct __attribute__((aligned(32))) name##4_32a { T x, y, z, w; };                               \
  typedef struct name##4_16a name##4_16a;                                                          \
  typedef struct name##4_32a name##4_32a;
HEDDLE_VECTOR(long, long)
HEDDLE_VECTOR(unsigned long, ulong)
HEDDLE_VECTOR(long long, longlong)
HEDDLE_VECTOR(unsigned long long, ulonglong)
HEDDLE_VECTOR(double, double)
#undef HEDDLE_VECTOR
#endif

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#if defined(__CUDA__) && defined(__clang__)
  /// From threadIdx and its like (heddle/builtin_vars.h).
  template <class Builtin, class = typename Builtin::__heddle_builtin_index>
  __device__ dim3(Builtin v) : x(v.x), y(v.y), z(v.z) {}
#endif
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 t;
    t.x = x, t.y = y, t.z = z;
    return t;
  }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
