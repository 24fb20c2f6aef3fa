// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores with a cache operator (CUDA Fortran Programming Guide, "Load and Store Functions
// Using Cache Hints"). The operators are hints, so these are loads and stores; those of `cv` and
// `wt` are volatile.
#include "fortran/device/device.h"

using Half = _Float16;

#define HEDDLE_LOADS(OPERATOR)                                                                     \
  HEDDLE_LOAD(OPERATOR, i4, int32_t)                                                               \
  HEDDLE_LOAD(OPERATOR, i8, int64_t)                                                               \
  HEDDLE_LOAD(OPERATOR, r2, Half)                                                                  \
  HEDDLE_LOAD(OPERATOR, r4, float)                                                                 \
  HEDDLE_LOAD(OPERATOR, r8, double)

#define HEDDLE_LOAD(OPERATOR, SUFFIX, TYPE)                                                        \
  TYPE __##OPERATOR##_##SUFFIX(const TYPE *x) { return *x; }

extern "C" {
HEDDLE_LOADS(ldg)
HEDDLE_LOADS(ldcg)
HEDDLE_LOADS(ldca)
HEDDLE_LOADS(ldcs)
HEDDLE_LOADS(ldlu)
}

#undef HEDDLE_LOAD
#define HEDDLE_LOAD(OPERATOR, SUFFIX, TYPE)                                                        \
  TYPE __##OPERATOR##_##SUFFIX(const volatile TYPE *x) { return *x; }

extern "C" {
HEDDLE_LOADS(ldcv)
}

#undef HEDDLE_LOAD
#define HEDDLE_LOAD(OPERATOR, SUFFIX, TYPE)                                                        \
  void __##OPERATOR##_##SUFFIX(TYPE *y, TYPE x) { *y = x; }

extern "C" {
HEDDLE_LOADS(stwb)
HEDDLE_LOADS(stcg)
HEDDLE_LOADS(stcs)
}

#undef HEDDLE_LOAD
#define HEDDLE_LOAD(OPERATOR, SUFFIX, TYPE)                                                        \
  void __##OPERATOR##_##SUFFIX(volatile TYPE *y, TYPE x) { *y = x; }

extern "C" {
HEDDLE_LOADS(stwt)
}
