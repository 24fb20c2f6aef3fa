// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stores and reductions that an mbarrier of another block of the cluster is told of (<cuda/ptx>; PTX
// ISA, "st.async", "red.async").
#ifndef HEDDLE_CUDA_PTX_ASYNCHRONOUS_H
#define HEDDLE_CUDA_PTX_ASYNCHRONOUS_H

#include <heddle/cuda_ptx/tags.h>

namespace cuda {
namespace ptx {

#define HEDDLE_PTX_STORE "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"

template <class T>
__device__ static inline void st_async(T *to, const T &value, uint64_t *barrier) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "st.async stores 4 or 8 bytes");
  uint32_t place = __heddle::window(to), told = __heddle::window(barrier);
  if constexpr (sizeof(T) == 4)
    asm volatile(HEDDLE_PTX_STORE ".b32 [%0], %1, [%2];" ::"r"(place),
                 "r"(__heddle::bits<uint32_t>(value)), "r"(told)
                 : "memory");
  else
    asm volatile(HEDDLE_PTX_STORE ".b64 [%0], %1, [%2];" ::"r"(place),
                 "l"(__heddle::bits<uint64_t>(value)), "r"(told)
                 : "memory");
}
template <class T>
__device__ static inline void st_async(T *to, const T (&value)[2], uint64_t *barrier) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "st.async.v2 stores two of 4 or 8 bytes");
  uint32_t place = __heddle::window(to), told = __heddle::window(barrier);
  if constexpr (sizeof(T) == 4)
    asm volatile(HEDDLE_PTX_STORE ".v2.b32 [%0], {%1, %2}, [%3];" ::"r"(place),
                 "r"(__heddle::bits<uint32_t>(value[0])), "r"(__heddle::bits<uint32_t>(value[1])),
                 "r"(told)
                 : "memory");
  else
    asm volatile(HEDDLE_PTX_STORE ".v2.b64 [%0], {%1, %2}, [%3];" ::"r"(place),
                 "l"(__heddle::bits<uint64_t>(value[0])), "l"(__heddle::bits<uint64_t>(value[1])),
                 "r"(told)
                 : "memory");
}
template <class T, __heddle::IfSize<T, 4> = 0>
__device__ static inline void st_async(T *to, const T (&value)[4], uint64_t *barrier) {
  asm volatile(HEDDLE_PTX_STORE ".v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(__heddle::window(to)),
               "r"(__heddle::bits<uint32_t>(value[0])), "r"(__heddle::bits<uint32_t>(value[1])),
               "r"(__heddle::bits<uint32_t>(value[2])), "r"(__heddle::bits<uint32_t>(value[3])),
               "r"(__heddle::window(barrier))
               : "memory");
}
#undef HEDDLE_PTX_STORE

#define HEDDLE_PTX_RED(OP, TEXT, T, TYPE, REGISTER)                                                \
  __device__ static inline void red_async(op_##OP##_t, T *to, const T &value, uint64_t *barrier) { \
    asm volatile(                                                                                  \
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes" TEXT TYPE         \
        " [%0], %1, [%2];" ::"r"(__heddle::window(to)),                                            \
        REGISTER(value), "r"(__heddle::window(barrier))                                            \
        : "memory");                                                                               \
  }
HEDDLE_PTX_RED(inc, ".inc", uint32_t, ".u32", "r")
HEDDLE_PTX_RED(dec, ".dec", uint32_t, ".u32", "r")
HEDDLE_PTX_RED(min, ".min", uint32_t, ".u32", "r")
HEDDLE_PTX_RED(max, ".max", uint32_t, ".u32", "r")
HEDDLE_PTX_RED(add, ".add", uint32_t, ".u32", "r")
HEDDLE_PTX_RED(and_op, ".and", uint32_t, ".b32", "r")
HEDDLE_PTX_RED(or_op, ".or", uint32_t, ".b32", "r")
HEDDLE_PTX_RED(xor_op, ".xor", uint32_t, ".b32", "r")
HEDDLE_PTX_RED(min, ".min", int32_t, ".s32", "r")
HEDDLE_PTX_RED(max, ".max", int32_t, ".s32", "r")
HEDDLE_PTX_RED(add, ".add", int32_t, ".s32", "r")
HEDDLE_PTX_RED(and_op, ".and", int32_t, ".b32", "r")
HEDDLE_PTX_RED(or_op, ".or", int32_t, ".b32", "r")
HEDDLE_PTX_RED(xor_op, ".xor", int32_t, ".b32", "r")
HEDDLE_PTX_RED(add, ".add", uint64_t, ".u64", "l")
HEDDLE_PTX_RED(add, ".add", int64_t, ".u64", "l")
#undef HEDDLE_PTX_RED

} // namespace ptx
} // namespace cuda

#endif
