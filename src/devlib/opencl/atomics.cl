// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C, "Atomic Functions": those of C11 in all address spaces, and the 64-bit ones of OpenCL 1. Every
// scope is the whole system's.
#include "builtins.h"

#define ALL memory_scope_all_svm_devices
#define SEQ memory_order_seq_cst

// name(pointer, operand) in its three forms.
#define TAKES_VALUE(name, space, atomic, type)                                                     \
  OVERLOADABLE type atomic_##name##_explicit(volatile space atomic *p, type v, memory_order o) {   \
    return __opencl_atomic_##name(p, v, o, ALL);                                                   \
  }                                                                                                \
  OVERLOADABLE type atomic_##name##_explicit(volatile space atomic *p, type v, memory_order o,     \
                                             memory_scope s) {                                     \
    return __opencl_atomic_##name(p, v, o, ALL);                                                   \
  }                                                                                                \
  OVERLOADABLE type atomic_##name(volatile space atomic *p, type v) {                              \
    return __opencl_atomic_##name(p, v, SEQ, ALL);                                                 \
  }

#define COMPARE_EXCHANGE(kind, space, atomic, type, expectedSpace)                                 \
  OVERLOADABLE bool atomic_compare_exchange_##kind##_explicit(                                     \
      volatile space atomic *p, expectedSpace type *e, type v, memory_order o, memory_order f) {   \
    return __opencl_atomic_compare_exchange_##kind(p, e, v, SEQ, SEQ, ALL);                        \
  }                                                                                                \
  OVERLOADABLE bool atomic_compare_exchange_##kind##_explicit(                                     \
      volatile space atomic *p, expectedSpace type *e, type v, memory_order o, memory_order f,     \
      memory_scope s) {                                                                            \
    return __opencl_atomic_compare_exchange_##kind(p, e, v, SEQ, SEQ, ALL);                        \
  }                                                                                                \
  OVERLOADABLE bool atomic_compare_exchange_##kind(volatile space atomic *p,                       \
                                                   expectedSpace type *e, type v) {                \
    return __opencl_atomic_compare_exchange_##kind(p, e, v, SEQ, SEQ, ALL);                        \
  }
#define COMPARE_EXCHANGES(space, atomic, type)                                                     \
  COMPARE_EXCHANGE(strong, space, atomic, type, __generic)                                         \
  COMPARE_EXCHANGE(strong, space, atomic, type, __global)                                          \
  COMPARE_EXCHANGE(strong, space, atomic, type, __local)                                           \
  COMPARE_EXCHANGE(weak, space, atomic, type, __generic)                                           \
  COMPARE_EXCHANGE(weak, space, atomic, type, __global)                                            \
  COMPARE_EXCHANGE(weak, space, atomic, type, __local)

#define LOADS_AND_STORES(space, atomic, type)                                                      \
  OVERLOADABLE void atomic_init(volatile space atomic *p, type v) { __opencl_atomic_init(p, v); }  \
  OVERLOADABLE type atomic_load_explicit(volatile space atomic *p, memory_order o) {               \
    return __opencl_atomic_load(p, SEQ, ALL);                                                      \
  }                                                                                                \
  OVERLOADABLE type atomic_load_explicit(volatile space atomic *p, memory_order o,                 \
                                         memory_scope s) {                                         \
    return __opencl_atomic_load(p, SEQ, ALL);                                                      \
  }                                                                                                \
  OVERLOADABLE type atomic_load(volatile space atomic *p) {                                        \
    return __opencl_atomic_load(p, SEQ, ALL);                                                      \
  }                                                                                                \
  OVERLOADABLE void atomic_store_explicit(volatile space atomic *p, type v, memory_order o) {      \
    __opencl_atomic_store(p, v, SEQ, ALL);                                                         \
  }                                                                                                \
  OVERLOADABLE void atomic_store_explicit(volatile space atomic *p, type v, memory_order o,        \
                                          memory_scope s) {                                        \
    __opencl_atomic_store(p, v, SEQ, ALL);                                                         \
  }                                                                                                \
  OVERLOADABLE void atomic_store(volatile space atomic *p, type v) {                               \
    __opencl_atomic_store(p, v, SEQ, ALL);                                                         \
  }                                                                                                \
  TAKES_VALUE(exchange, space, atomic, type)                                                       \
  COMPARE_EXCHANGES(space, atomic, type)

#define INTEGER(space, atomic, type)                                                               \
  LOADS_AND_STORES(space, atomic, type)                                                            \
  TAKES_VALUE(fetch_add, space, atomic, type)                                                      \
  TAKES_VALUE(fetch_sub, space, atomic, type)                                                      \
  TAKES_VALUE(fetch_and, space, atomic, type)                                                      \
  TAKES_VALUE(fetch_or, space, atomic, type)                                                       \
  TAKES_VALUE(fetch_xor, space, atomic, type)                                                      \
  TAKES_VALUE(fetch_min, space, atomic, type)                                                      \
  TAKES_VALUE(fetch_max, space, atomic, type)

// atomic_uintptr_t with a difference of pointers.
#define POINTER(name, space)                                                                       \
  OVERLOADABLE ulong atomic_##name##_explicit(volatile space atomic_ulong *p, long v,              \
                                              memory_order o) {                                    \
    return __opencl_atomic_##name(p, (ulong)v, SEQ, ALL);                                          \
  }                                                                                                \
  OVERLOADABLE ulong atomic_##name##_explicit(volatile space atomic_ulong *p, long v,              \
                                              memory_order o, memory_scope s) {                    \
    return __opencl_atomic_##name(p, (ulong)v, SEQ, ALL);                                          \
  }                                                                                                \
  OVERLOADABLE ulong atomic_##name(volatile space atomic_ulong *p, long v) {                       \
    return __opencl_atomic_##name(p, (ulong)v, SEQ, ALL);                                          \
  }

#define FLAG(space)                                                                                \
  OVERLOADABLE bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p,               \
                                                      memory_order o, memory_scope s) {            \
    return __opencl_atomic_exchange(p, 1, SEQ, ALL) != 0;                                          \
  }                                                                                                \
  OVERLOADABLE bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *p,               \
                                                      memory_order o) {                            \
    return __opencl_atomic_exchange(p, 1, SEQ, ALL) != 0;                                          \
  }                                                                                                \
  OVERLOADABLE bool atomic_flag_test_and_set(volatile space atomic_flag *p) {                      \
    return __opencl_atomic_exchange(p, 1, SEQ, ALL) != 0;                                          \
  }                                                                                                \
  OVERLOADABLE void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order o,      \
                                               memory_scope s) {                                   \
    __opencl_atomic_store(p, 0, SEQ, ALL);                                                         \
  }                                                                                                \
  OVERLOADABLE void atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order o) {    \
    __opencl_atomic_store(p, 0, SEQ, ALL);                                                         \
  }                                                                                                \
  OVERLOADABLE void atomic_flag_clear(volatile space atomic_flag *p) {                             \
    __opencl_atomic_store(p, 0, SEQ, ALL);                                                         \
  }

#define SPACE(space)                                                                               \
  INTEGER(space, atomic_int, int)                                                                  \
  INTEGER(space, atomic_uint, uint)                                                                \
  INTEGER(space, atomic_long, long)                                                                \
  INTEGER(space, atomic_ulong, ulong)                                                              \
  LOADS_AND_STORES(space, atomic_float, float)                                                     \
  LOADS_AND_STORES(space, atomic_double, double)                                                   \
  POINTER(fetch_add, space)                                                                        \
  POINTER(fetch_sub, space)                                                                        \
  FLAG(space)

SPACE(__generic)
SPACE(__global)
SPACE(__local)

OVERLOADABLE void atomic_work_item_fence(uint flags, memory_order order, memory_scope scope) {
  __nvvm_membar_sys();
}

// OpenCL 1: relaxed. libclc's wrap around at the largest number, which no pass takes for a sum.
#define COUNT(space, type)                                                                         \
  OVERLOADABLE type atomic_inc(volatile space type *p) {                                           \
    return __opencl_atomic_fetch_add((space atomic_##type *)p, (type)1, memory_order_relaxed, ALL); \
  }                                                                                                \
  OVERLOADABLE type atomic_dec(volatile space type *p) {                                           \
    return __opencl_atomic_fetch_sub((space atomic_##type *)p, (type)1, memory_order_relaxed, ALL); \
  }
COUNT(__global, int)
COUNT(__global, uint)
COUNT(__local, int)
COUNT(__local, uint)

#define LONG(name, space, type, expression)                                                        \
  OVERLOADABLE type atom_##name(volatile space type *p, type v) {                                  \
    volatile space atomic_##type *a = (volatile space atomic_##type *)p;                           \
    return __opencl_atomic_##expression(a, v, memory_order_relaxed, ALL);                          \
  }
#define LONGS(space, type)                                                                         \
  LONG(add, space, type, fetch_add)                                                                \
  LONG(sub, space, type, fetch_sub)                                                                \
  LONG(xchg, space, type, exchange)                                                                \
  LONG(min, space, type, fetch_min)                                                                \
  LONG(max, space, type, fetch_max)                                                                \
  LONG(and, space, type, fetch_and)                                                                \
  LONG(or, space, type, fetch_or)                                                                  \
  LONG(xor, space, type, fetch_xor)                                                                \
  OVERLOADABLE type atom_inc(volatile space type *p) { return atom_add(p, (type)1); }              \
  OVERLOADABLE type atom_dec(volatile space type *p) { return atom_sub(p, (type)1); }              \
  OVERLOADABLE type atom_cmpxchg(volatile space type *p, type expected, type v) {                  \
    volatile space atomic_##type *a = (volatile space atomic_##type *)p;                           \
    __opencl_atomic_compare_exchange_strong(a, &expected, v, memory_order_relaxed,                 \
                                            memory_order_relaxed, ALL);                            \
    return expected;                                                                               \
  }
LONGS(__global, long)
LONGS(__global, ulong)
LONGS(__local, long)
LONGS(__local, ulong)

// OpenCL C, "Address Space Qualifier Functions".
OVERLOADABLE uint get_fence(const void *p) {
  return __nvvm_isspacep_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVERLOADABLE uint get_fence(void *p) {
  return __nvvm_isspacep_shared(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

// What clang makes of to_global, to_local and to_private.
global void *__to_global(void *p) {
  return __nvvm_isspacep_shared(p) || __nvvm_isspacep_local(p) ? 0 : (global void *)p;
}
local void *__to_local(void *p) { return __nvvm_isspacep_shared(p) ? (local void *)p : 0; }
private void *__to_private(void *p) { return __nvvm_isspacep_local(p) ? (private void *)p : 0; }
