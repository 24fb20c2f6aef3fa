// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic functions that Flang 22's module cudadevice has not or has wrong (CUDA Fortran Programming
// Guide, "Atomic Functions"), for the module heddle_device.
#include "fortran/device/device.h"

// HEDDLE_BITS(SUFFIX, TYPE)
#define HEDDLE_BITS(SUFFIX, TYPE)                                                                  \
  TYPE __heddle_atomicand_##SUFFIX(TYPE *address, TYPE value) {                                    \
    return __atomic_fetch_and(address, value, __ATOMIC_RELAXED);                                   \
  }                                                                                                \
  TYPE __heddle_atomicor_##SUFFIX(TYPE *address, TYPE value) {                                     \
    return __atomic_fetch_or(address, value, __ATOMIC_RELAXED);                                    \
  }                                                                                                \
  TYPE __heddle_atomicxor_##SUFFIX(TYPE *address, TYPE value) {                                    \
    return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED);                                   \
  }

extern "C" {
HEDDLE_BITS(i4, int32_t)
HEDDLE_BITS(i8, int64_t)

/// Functions whose result is an array get its address in front of their arguments. Each element is
/// atomic by itself.
void atomicadd_four_(float *old, float *address, const float *value) {
  for (int i = 0; i < 4; ++i)
    old[i] = __nvvm_atom_add_gen_f(address + i, value[i]);
}
}
