// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// threadIdx, blockIdx, blockDim, gridDim, warpSize. The variables have no storage: their fields are
// properties that read a special register. Unlike clang's own version they may be copied (`auto t =
// threadIdx;`) and initialise a dim3 in every way that a uint3 does; a copy reads the same
// registers, hence the same values.
#ifndef HEDDLE_BUILTIN_VARS_H
#define HEDDLE_BUILTIN_VARS_H

#include "../vector_types.h"

#define HEDDLE_FIELD(field, reg)                                                                   \
  __declspec(property(get = __fetch_##field)) unsigned int field;                                  \
  static __device__ __forceinline__ unsigned int __fetch_##field() {                               \
    return __nvvm_read_ptx_sreg_##reg##_##field();                                                 \
  }
#define HEDDLE_BUILTIN(name, reg)                                                                  \
  struct __heddle_##name##_t {                                                                     \
    typedef void __heddle_builtin_index;                                                           \
    HEDDLE_FIELD(x, reg)                                                                           \
    HEDDLE_FIELD(y, reg)                                                                           \
    HEDDLE_FIELD(z, reg)                                                                           \
    __device__ __forceinline__ operator uint3() const { return uint3{x, y, z}; }                   \
  };                                                                                               \
  extern const __device__ __attribute__((weak)) __heddle_##name##_t name;

HEDDLE_BUILTIN(threadIdx, tid)
HEDDLE_BUILTIN(blockIdx, ctaid)
HEDDLE_BUILTIN(blockDim, ntid)
HEDDLE_BUILTIN(gridDim, nctaid)
#undef HEDDLE_FIELD
#undef HEDDLE_BUILTIN

__device__ const int warpSize = 32;

#endif
