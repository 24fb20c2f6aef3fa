// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tags that choose among the forms of an instruction (<cuda/ptx>), and what the functions share.
#ifndef HEDDLE_CUDA_PTX_TAGS_H
#define HEDDLE_CUDA_PTX_TAGS_H

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

/// The version of the PTX ISA whose functions are there (8.7).
#ifndef __cccl_ptx_isa
#define __cccl_ptx_isa 870ULL
#endif

namespace cuda {
namespace ptx {

using ::std::enable_if_t;
using ::std::int32_t;
using ::std::int64_t;
using ::std::uint16_t;
using ::std::uint32_t;
using ::std::uint64_t;

#define HEDDLE_PTX_TAG(KIND, NAME)                                                                 \
  using KIND##_##NAME##_t = KIND##_t<dot_##KIND::NAME>;                                            \
  static constexpr KIND##_##NAME##_t KIND##_##NAME{};

enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
template <dot_sem Sem> using sem_t = ::std::integral_constant<dot_sem, Sem>;
HEDDLE_PTX_TAG(sem, acq_rel)
HEDDLE_PTX_TAG(sem, acquire)
HEDDLE_PTX_TAG(sem, relaxed)
HEDDLE_PTX_TAG(sem, release)
HEDDLE_PTX_TAG(sem, sc)
HEDDLE_PTX_TAG(sem, weak)

enum class dot_scope { cta, cluster, gpu, sys };
template <dot_scope Scope> using scope_t = ::std::integral_constant<dot_scope, Scope>;
HEDDLE_PTX_TAG(scope, cta)
HEDDLE_PTX_TAG(scope, cluster)
HEDDLE_PTX_TAG(scope, gpu)
HEDDLE_PTX_TAG(scope, sys)

enum class dot_space { global, cluster, shared };
template <dot_space Space> using space_t = ::std::integral_constant<dot_space, Space>;
HEDDLE_PTX_TAG(space, global)
HEDDLE_PTX_TAG(space, cluster)
HEDDLE_PTX_TAG(space, shared)

enum class dot_op { add, and_op, dec, inc, max, min, or_op, xor_op };
template <dot_op Op> using op_t = ::std::integral_constant<dot_op, Op>;
HEDDLE_PTX_TAG(op, add)
HEDDLE_PTX_TAG(op, and_op)
HEDDLE_PTX_TAG(op, dec)
HEDDLE_PTX_TAG(op, inc)
HEDDLE_PTX_TAG(op, max)
HEDDLE_PTX_TAG(op, min)
HEDDLE_PTX_TAG(op, or_op)
HEDDLE_PTX_TAG(op, xor_op)
#undef HEDDLE_PTX_TAG

template <int N> using n32_t = ::std::integral_constant<int, N>;

namespace __heddle {

/// The 32-bit address of something in shared memory, of this block or of another of its cluster.
__device__ static inline uint32_t window(const void *address) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(address));
}
__device__ static inline uint64_t global(const void *address) {
  return static_cast<uint64_t>(__cvta_generic_to_global(address));
}

/// The bits of a value in the registers that an instruction takes.
template <class To, class From> __device__ static inline To bits(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "a value of the size of the register");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

template <class T, int Size> using IfSize = enable_if_t<sizeof(T) == Size, int>;

} // namespace __heddle

} // namespace ptx
} // namespace cuda

/// An asm statement whose text has the scope of the template's parameter Scope in it.
#define HEDDLE_PTX_SCOPED(BEFORE, AFTER, ...)                                                      \
  do {                                                                                             \
    if constexpr (Scope == dot_scope::cta)                                                         \
      asm volatile(BEFORE ".cta" AFTER __VA_ARGS__);                                               \
    else if constexpr (Scope == dot_scope::cluster)                                                \
      asm volatile(BEFORE ".cluster" AFTER __VA_ARGS__);                                           \
    else if constexpr (Scope == dot_scope::gpu)                                                    \
      asm volatile(BEFORE ".gpu" AFTER __VA_ARGS__);                                               \
    else                                                                                           \
      asm volatile(BEFORE ".sys" AFTER __VA_ARGS__);                                               \
  } while (0)

#endif
