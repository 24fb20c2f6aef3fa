// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies and reductions (<cuda/ptx>; PTX ISA, "cp.async.bulk", "cp.reduce.async.bulk").
#ifndef HEDDLE_CUDA_PTX_COPIES_H
#define HEDDLE_CUDA_PTX_COPIES_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <heddle/cuda_ptx/tags.h>

namespace cuda {
namespace ptx {

#define HEDDLE_PTX_BULK "cp.async.bulk"
#define HEDDLE_PTX_TOLD "mbarrier::complete_tx::bytes"

__device__ static inline void cp_async_bulk(space_cluster_t, space_global_t, void *to,
                                            const void *from, const uint32_t &bytes,
                                            uint64_t *barrier) {
  asm volatile(HEDDLE_PTX_BULK ".shared::cluster.global." HEDDLE_PTX_TOLD
                               " [%0], [%1], %2, [%3];" ::"r"(__heddle::window(to)),
               "l"(__heddle::global(from)), "r"(bytes), "r"(__heddle::window(barrier))
               : "memory");
}
/// Shared memory of this block is part of the cluster's.
__device__ static inline void cp_async_bulk(space_shared_t, space_global_t, void *to,
                                            const void *from, const uint32_t &bytes,
                                            uint64_t *barrier) {
  cp_async_bulk(space_cluster, space_global, to, from, bytes, barrier);
}
__device__ static inline void cp_async_bulk(space_cluster_t, space_shared_t, void *to,
                                            const void *from, const uint32_t &bytes,
                                            uint64_t *barrier) {
  asm volatile(HEDDLE_PTX_BULK ".shared::cluster.shared::cta." HEDDLE_PTX_TOLD
                               " [%0], [%1], %2, [%3];" ::"r"(__heddle::window(to)),
               "r"(__heddle::window(from)), "r"(bytes), "r"(__heddle::window(barrier))
               : "memory");
}
__device__ static inline void cp_async_bulk(space_global_t, space_shared_t, void *to,
                                            const void *from, const uint32_t &bytes) {
  asm volatile(HEDDLE_PTX_BULK
               ".global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__heddle::global(to)),
               "r"(__heddle::window(from)), "r"(bytes)
               : "memory");
}
/// The same bytes for each block of the cluster that the mask names.
__device__ static inline void cp_async_bulk(space_cluster_t, space_global_t, void *to,
                                            const void *from, const uint32_t &bytes,
                                            uint64_t *barrier, const uint16_t &blocks) {
  asm volatile(HEDDLE_PTX_BULK
               ".shared::cluster.global." HEDDLE_PTX_TOLD
               ".multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(__heddle::window(to)),
               "l"(__heddle::global(from)), "r"(bytes), "r"(__heddle::window(barrier)), "h"(blocks)
               : "memory");
}

__device__ static inline void cp_async_bulk_commit_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int N> __device__ static inline void cp_async_bulk_wait_group(n32_t<N>) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N> __device__ static inline void cp_async_bulk_wait_group_read(n32_t<N>) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

__device__ static inline void cp_async_mbarrier_arrive(uint64_t *barrier) {
  asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(__heddle::window(barrier))
               : "memory");
}
__device__ static inline void cp_async_mbarrier_arrive_noinc(uint64_t *barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(__heddle::window(barrier))
               : "memory");
}

// Reductions: into shared memory of a block of the cluster, whose barrier is told, and into global
// memory, as one of a group.
#define HEDDLE_PTX_REDUCE_SHARED(OP, TEXT, T, TYPE)                                                \
  __device__ static inline void cp_reduce_async_bulk(space_cluster_t, space_shared_t, op_##OP##_t, \
                                                     T *to, const T *from, uint32_t bytes,         \
                                                     uint64_t *barrier) {                          \
    asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta." HEDDLE_PTX_TOLD TEXT TYPE     \
                 " [%0], [%1], %2, [%3];" ::"r"(__heddle::window(to)),                             \
                 "r"(__heddle::window(from)), "r"(bytes), "r"(__heddle::window(barrier))           \
                 : "memory");                                                                      \
  }
#define HEDDLE_PTX_REDUCE_GLOBAL(OP, TEXT, T, TYPE)                                                \
  __device__ static inline void cp_reduce_async_bulk(space_global_t, space_shared_t, op_##OP##_t,  \
                                                     T *to, const T *from, uint32_t bytes) {       \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group" TEXT TYPE                    \
                 " [%0], [%1], %2;" ::"l"(__heddle::global(to)),                                   \
                 "r"(__heddle::window(from)), "r"(bytes)                                           \
                 : "memory");                                                                      \
  }
#define HEDDLE_PTX_REDUCE(OP, TEXT, T, TYPE)                                                       \
  HEDDLE_PTX_REDUCE_SHARED(OP, TEXT, T, TYPE)                                                      \
  HEDDLE_PTX_REDUCE_GLOBAL(OP, TEXT, T, TYPE)

HEDDLE_PTX_REDUCE(and_op, ".and", uint32_t, ".b32")
HEDDLE_PTX_REDUCE(or_op, ".or", uint32_t, ".b32")
HEDDLE_PTX_REDUCE(xor_op, ".xor", uint32_t, ".b32")
HEDDLE_PTX_REDUCE(add, ".add", uint32_t, ".u32")
HEDDLE_PTX_REDUCE(min, ".min", uint32_t, ".u32")
HEDDLE_PTX_REDUCE(max, ".max", uint32_t, ".u32")
HEDDLE_PTX_REDUCE(inc, ".inc", uint32_t, ".u32")
HEDDLE_PTX_REDUCE(dec, ".dec", uint32_t, ".u32")
HEDDLE_PTX_REDUCE(and_op, ".and", int32_t, ".b32")
HEDDLE_PTX_REDUCE(or_op, ".or", int32_t, ".b32")
HEDDLE_PTX_REDUCE(xor_op, ".xor", int32_t, ".b32")
HEDDLE_PTX_REDUCE(add, ".add", int32_t, ".s32")
HEDDLE_PTX_REDUCE(min, ".min", int32_t, ".s32")
HEDDLE_PTX_REDUCE(max, ".max", int32_t, ".s32")
HEDDLE_PTX_REDUCE(add, ".add", uint64_t, ".u64")
HEDDLE_PTX_REDUCE(add, ".add", int64_t, ".u64")
HEDDLE_PTX_REDUCE_GLOBAL(and_op, ".and", uint64_t, ".b64")
HEDDLE_PTX_REDUCE_GLOBAL(or_op, ".or", uint64_t, ".b64")
HEDDLE_PTX_REDUCE_GLOBAL(xor_op, ".xor", uint64_t, ".b64")
HEDDLE_PTX_REDUCE_GLOBAL(min, ".min", uint64_t, ".u64")
HEDDLE_PTX_REDUCE_GLOBAL(max, ".max", uint64_t, ".u64")
HEDDLE_PTX_REDUCE_GLOBAL(min, ".min", int64_t, ".s64")
HEDDLE_PTX_REDUCE_GLOBAL(max, ".max", int64_t, ".s64")
HEDDLE_PTX_REDUCE_GLOBAL(add, ".add", float, ".f32")
HEDDLE_PTX_REDUCE_GLOBAL(add, ".add", double, ".f64")
HEDDLE_PTX_REDUCE_GLOBAL(add, ".add.noftz", __half, ".f16")
HEDDLE_PTX_REDUCE_GLOBAL(min, ".min", __half, ".f16")
HEDDLE_PTX_REDUCE_GLOBAL(max, ".max", __half, ".f16")
HEDDLE_PTX_REDUCE_GLOBAL(add, ".add.noftz", __nv_bfloat16, ".bf16")
HEDDLE_PTX_REDUCE_GLOBAL(min, ".min", __nv_bfloat16, ".bf16")
HEDDLE_PTX_REDUCE_GLOBAL(max, ".max", __nv_bfloat16, ".bf16")
#undef HEDDLE_PTX_REDUCE
#undef HEDDLE_PTX_REDUCE_SHARED
#undef HEDDLE_PTX_REDUCE_GLOBAL
#undef HEDDLE_PTX_BULK

} // namespace ptx
} // namespace cuda

#endif
