// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic functions, as LLVM's relaxed atomics: atomicrmw and cmpxchg. The forms with _block and
// _system differ only in scope, which NVPTX's front end does not record and a CPU does not need.
// CUDA guide, "Atomic Functions".
//
// Functions that came with a later compute capability are templates (HEDDLE_LATER), for every
// -arch: programs for older ones define them themselves, with any result, and such a function is
// chosen before a template.
#ifndef HEDDLE_DEVICE_ATOMICS_H
#define HEDDLE_DEVICE_ATOMICS_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__
#define HEDDLE_LATER                                                                               \
  template <int = 0>                                                                               \
  HEDDLE_D

#define HEDDLE_ATOMIC_SCOPE(kind, name, T, op, scope)                                              \
  kind T name(T *p, T v) { return __scoped_atomic_##op(p, v, __ATOMIC_RELAXED, scope); }
#define HEDDLE_ATOMIC_OF(kind, name, T, op)                                                        \
  HEDDLE_ATOMIC_SCOPE(kind, name, T, op, __MEMORY_SCOPE_DEVICE)                                    \
  HEDDLE_ATOMIC_SCOPE(HEDDLE_LATER, name##_block, T, op, __MEMORY_SCOPE_WRKGRP)                    \
  HEDDLE_ATOMIC_SCOPE(HEDDLE_LATER, name##_system, T, op, __MEMORY_SCOPE_SYSTEM)
#define HEDDLE_ATOMIC(name, T, op) HEDDLE_ATOMIC_OF(HEDDLE_D, name, T, op)
#define HEDDLE_LATER_ATOMIC(name, T, op) HEDDLE_ATOMIC_OF(HEDDLE_LATER, name, T, op)
#define HEDDLE_ATOMIC_INTEGERS(name, op)                                                           \
  HEDDLE_ATOMIC(name, int, op)                                                                     \
  HEDDLE_ATOMIC(name, unsigned, op)                                                                \
  HEDDLE_ATOMIC(name, unsigned long long, op)

HEDDLE_ATOMIC_INTEGERS(atomicAdd, fetch_add)
HEDDLE_ATOMIC(atomicAdd, float, fetch_add)
HEDDLE_LATER_ATOMIC(atomicAdd, double, fetch_add)
HEDDLE_ATOMIC(atomicSub, int, fetch_sub)
HEDDLE_ATOMIC(atomicSub, unsigned, fetch_sub)
HEDDLE_ATOMIC_INTEGERS(atomicExch, exchange_n)
HEDDLE_ATOMIC_INTEGERS(atomicMin, fetch_min)
HEDDLE_ATOMIC_INTEGERS(atomicMax, fetch_max)
HEDDLE_LATER_ATOMIC(atomicMin, long long, fetch_min)
HEDDLE_LATER_ATOMIC(atomicMax, long long, fetch_max)
HEDDLE_ATOMIC_INTEGERS(atomicAnd, fetch_and)
HEDDLE_ATOMIC_INTEGERS(atomicOr, fetch_or)
HEDDLE_ATOMIC_INTEGERS(atomicXor, fetch_xor)
HEDDLE_LATER_ATOMIC(atomicAnd, long long, fetch_and)
HEDDLE_LATER_ATOMIC(atomicOr, long long, fetch_or)
HEDDLE_LATER_ATOMIC(atomicXor, long long, fetch_xor)
HEDDLE_ATOMIC(atomicInc, unsigned, fetch_uinc)
HEDDLE_ATOMIC(atomicDec, unsigned, fetch_udec)

#define HEDDLE_EXCHANGE_FLOAT(name)                                                                \
  HEDDLE_D float name(float *p, float v) {                                                         \
    return __builtin_bit_cast(float, name((unsigned *)p, __builtin_bit_cast(unsigned, v)));        \
  }
HEDDLE_EXCHANGE_FLOAT(atomicExch)
HEDDLE_EXCHANGE_FLOAT(atomicExch_block)
HEDDLE_EXCHANGE_FLOAT(atomicExch_system)
#undef HEDDLE_EXCHANGE_FLOAT

#define HEDDLE_CAS_SCOPE(kind, name, T, scope)                                                     \
  kind T name(T *p, T expected, T desired) {                                                       \
    __scoped_atomic_compare_exchange_n(p, &expected, desired, false, __ATOMIC_RELAXED,             \
                                       __ATOMIC_RELAXED, scope);                                   \
    return expected;                                                                               \
  }
#define HEDDLE_CAS_OF(kind, T)                                                                     \
  HEDDLE_CAS_SCOPE(kind, atomicCAS, T, __MEMORY_SCOPE_DEVICE)                                      \
  HEDDLE_CAS_SCOPE(HEDDLE_LATER, atomicCAS_block, T, __MEMORY_SCOPE_WRKGRP)                        \
  HEDDLE_CAS_SCOPE(HEDDLE_LATER, atomicCAS_system, T, __MEMORY_SCOPE_SYSTEM)
#define HEDDLE_CAS(T) HEDDLE_CAS_OF(HEDDLE_D, T)
HEDDLE_CAS(int)
HEDDLE_CAS(unsigned)
HEDDLE_CAS(unsigned long long)
HEDDLE_CAS_OF(HEDDLE_LATER, unsigned short)

// The bytes of a 16-byte object.
struct __heddle_words16 {
  unsigned long long low, high;
};
template <class T> HEDDLE_D bool __heddle_same16(const T &a, const T &b) {
  __heddle_words16 x = __builtin_bit_cast(__heddle_words16, a);
  __heddle_words16 y = __builtin_bit_cast(__heddle_words16, b);
  return x.low == y.low && x.high == y.high;
}

// Exchanges 16 bytes. The first guess need not be read in one piece.
HEDDLE_LATER void __heddle_exchange128(void *p, const void *desired, void *before) {
  __heddle_words16 guess, seen = *(const __heddle_words16 *)p;
  do {
    guess = seen;
    __heddle_cas128(p, &guess, desired, &seen);
  } while (!__heddle_same16(guess, seen));
  *(__heddle_words16 *)before = seen;
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// 16-byte exchange and compare-and-swap of any trivial type of that size and alignment.
#define HEDDLE_WIDE(suffix)                                                                        \
  template <class T> HEDDLE_D T atomicCAS##suffix(T *p, T expected, T desired) {                   \
    static_assert(sizeof(T) == 16 && alignof(T) >= 16,                                             \
                  "atomicCAS takes 2, 4 and 8 byte integers and 16-byte, 16-aligned types");       \
    T before;                                                                                      \
    __heddle_cas128(p, &expected, &desired, &before);                                              \
    return before;                                                                                 \
  }                                                                                                \
  template <class T> HEDDLE_D T atomicExch##suffix(T *p, T desired) {                              \
    static_assert(sizeof(T) == 16 && alignof(T) >= 16,                                             \
                  "atomicExch takes 4 and 8 byte integers, float and 16-byte, 16-aligned types");  \
    T before;                                                                                      \
    __heddle_exchange128(p, &desired, &before);                                                    \
    return before;                                                                                 \
  }                                                                                                \
  HEDDLE_LATER float2 atomicAdd##suffix(float2 *p, float2 v) {                                     \
    v.x = atomicAdd##suffix(&p->x, v.x);                                                           \
    v.y = atomicAdd##suffix(&p->y, v.y);                                                           \
    return v;                                                                                      \
  }                                                                                                \
  HEDDLE_LATER float4 atomicAdd##suffix(float4 *p, float4 v) {                                     \
    v.x = atomicAdd##suffix(&p->x, v.x);                                                           \
    v.y = atomicAdd##suffix(&p->y, v.y);                                                           \
    v.z = atomicAdd##suffix(&p->z, v.z);                                                           \
    v.w = atomicAdd##suffix(&p->w, v.w);                                                           \
    return v;                                                                                      \
  }
HEDDLE_WIDE()
HEDDLE_WIDE(_block)
HEDDLE_WIDE(_system)
#undef HEDDLE_WIDE
#endif

#undef HEDDLE_ATOMIC_SCOPE
#undef HEDDLE_ATOMIC_OF
#undef HEDDLE_ATOMIC
#undef HEDDLE_LATER_ATOMIC
#undef HEDDLE_ATOMIC_INTEGERS
#undef HEDDLE_CAS_SCOPE
#undef HEDDLE_CAS_OF
#undef HEDDLE_CAS
#undef HEDDLE_LATER
#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
