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

// Complex numbers, and arrays of 4 to 16 bytes: a function's result of that kind goes to an address
// in front of the arguments.
#define HEDDLE_SEVERAL(LOAD, STORE)                                                                \
  HEDDLE_COMPLEX(LOAD, STORE, c4, float)                                                           \
  HEDDLE_COMPLEX(LOAD, STORE, c8, double)                                                          \
  HEDDLE_ARRAY(LOAD, STORE, i4x4, int32_t, 4)                                                      \
  HEDDLE_ARRAY(LOAD, STORE, i8x2, int64_t, 2)                                                      \
  HEDDLE_ARRAY(LOAD, STORE, r2x2, Half, 2)                                                         \
  HEDDLE_ARRAY(LOAD, STORE, r4x4, float, 4)                                                        \
  HEDDLE_ARRAY(LOAD, STORE, r8x2, double, 2)

#define HEDDLE_COMPLEX(LOAD, STORE, SUFFIX, TYPE)                                                  \
  _Complex TYPE __##LOAD##_##SUFFIX##x(const volatile _Complex TYPE *x) { return *x; }             \
  void __##STORE##_##SUFFIX(volatile _Complex TYPE *y, const _Complex TYPE *x) { *y = *x; }

#define HEDDLE_ARRAY(LOAD, STORE, SUFFIX, TYPE, COUNT)                                             \
  void __##LOAD##_##SUFFIX##_(TYPE *y, const volatile TYPE *x) {                                   \
    for (int i = 0; i < COUNT; ++i)                                                                \
      y[i] = x[i];                                                                                 \
  }                                                                                                \
  void __##STORE##_##SUFFIX(volatile TYPE *y, const TYPE *x) {                                     \
    for (int i = 0; i < COUNT; ++i)                                                                \
      y[i] = x[i];                                                                                 \
  }

extern "C" {
HEDDLE_SEVERAL(ldcg, stcg)
HEDDLE_SEVERAL(ldca, stwb)
HEDDLE_SEVERAL(ldcs, stcs)
HEDDLE_SEVERAL(ldcv, stwt)
}

#undef HEDDLE_COMPLEX
#define HEDDLE_COMPLEX(LOAD, STORE, SUFFIX, TYPE)                                                  \
  _Complex TYPE __##LOAD##_##SUFFIX##x(const volatile _Complex TYPE *x) { return *x; }
#undef HEDDLE_ARRAY
#define HEDDLE_ARRAY(LOAD, STORE, SUFFIX, TYPE, COUNT)                                             \
  void __##LOAD##_##SUFFIX##_(TYPE *y, const volatile TYPE *x) {                                   \
    for (int i = 0; i < COUNT; ++i)                                                                \
      y[i] = x[i];                                                                                 \
  }

extern "C" {
HEDDLE_SEVERAL(ldlu, )
}

// Copies to shared memory that a thread starts and later waits for (module wmma). They are done
// when the call returns, so there is nothing to wait for.
extern "C" {
void heddleFortranPipelineCopy4(int32_t *to, const int32_t *from) { *to = *from; }
void heddleFortranPipelineCopy8(int64_t *to, const int64_t *from) { *to = *from; }
void heddleFortranPipelineCopy16(int64_t *to, const int64_t *from) {
  to[0] = from[0];
  to[1] = from[1];
}
void heddleFortranPipelineCommit() {}
void heddleFortranPipelineWait(int32_t) {}
}
