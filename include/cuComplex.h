// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex numbers as float2 and double2, for C and C++ (CUDA's cuComplex interface). Division and
// magnitude are scaled, so that they overflow only when their result does.
#ifndef HEDDLE_CU_COMPLEX_H
#define HEDDLE_CU_COMPLEX_H
#define CU_COMPLEX_H_

#include "vector_types.h"

#if !defined(__CUDACC_RTC__)
#include <math.h>
#endif

#define HEDDLE_HD static __inline__ __host__ __device__

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_FUNCTIONS(Complex, T, make, f, s)                                                   \
  HEDDLE_HD Complex make(T x, T y) {                                                               \
    Complex r;                                                                                     \
    r.x = x, r.y = y;                                                                              \
    return r;                                                                                      \
  }                                                                                                \
  HEDDLE_HD T cuCreal##f(Complex a) { return a.x; }                                                \
  HEDDLE_HD T cuCimag##f(Complex a) { return a.y; }                                                \
  HEDDLE_HD Complex cuConj##f(Complex a) { return make(a.x, -a.y); }                               \
  HEDDLE_HD Complex cuCadd##f(Complex a, Complex b) { return make(a.x + b.x, a.y + b.y); }         \
  HEDDLE_HD Complex cuCsub##f(Complex a, Complex b) { return make(a.x - b.x, a.y - b.y); }         \
  HEDDLE_HD Complex cuCmul##f(Complex a, Complex b) {                                              \
    return make(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                     \
  }                                                                                                \
  HEDDLE_HD Complex cuCdiv##f(Complex a, Complex b) {                                              \
    T size = fabs##s(b.x) + fabs##s(b.y), scale = (T)1 / size;                                     \
    T ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;                      \
    T norm = (T)1 / (bx * bx + by * by);                                                           \
    return make((ax * bx + ay * by) * norm, (ay * bx - ax * by) * norm);                           \
  }                                                                                                \
  HEDDLE_HD T cuCabs##f(Complex a) { return hypot##s(a.x, a.y); }                                  \
  HEDDLE_HD Complex cuCfma##f(Complex a, Complex b, Complex c) {                                   \
    T x = a.x * b.x + c.x, y = a.x * b.y + c.y;                                                    \
    return make(x - a.y * b.y, y + a.y * b.x);                                                     \
  }
HEDDLE_FUNCTIONS(cuFloatComplex, float, make_cuFloatComplex, f, f)
HEDDLE_FUNCTIONS(cuDoubleComplex, double, make_cuDoubleComplex, , )
#undef HEDDLE_FUNCTIONS

HEDDLE_HD cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
HEDDLE_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return make_cuDoubleComplex(a.x, a.y);
}
HEDDLE_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return make_cuFloatComplex((float)a.x, (float)a.y);
}
#undef HEDDLE_HD

#endif
