// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies and reductions of boxes of tensors (<cuda/ptx>; PTX ISA, "cp.async.bulk.tensor",
// "cp.reduce.async.bulk.tensor"), in tiles of one to five dimensions.
#ifndef HEDDLE_CUDA_PTX_TENSOR_COPIES_H
#define HEDDLE_CUDA_PTX_TENSOR_COPIES_H

#include <heddle/cuda_ptx/copies.h>

namespace cuda {
namespace ptx {

// For each number of dimensions: its text, the places of the coordinates among the operands (which
// follow those of the instruction), and the operands.
#define HEDDLE_PTX_AT_1 "r"(at[0])
#define HEDDLE_PTX_AT_2 HEDDLE_PTX_AT_1, "r"(at[1])
#define HEDDLE_PTX_AT_3 HEDDLE_PTX_AT_2, "r"(at[2])
#define HEDDLE_PTX_AT_4 HEDDLE_PTX_AT_3, "r"(at[3])
#define HEDDLE_PTX_AT_5 HEDDLE_PTX_AT_4, "r"(at[4])

#define HEDDLE_PTX_TENSOR(RANK, COORDINATES)                                                       \
  __device__ static inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to,    \
                                                     const void *map, const int32_t(&at)[RANK],    \
                                                     uint64_t *barrier) {                          \
    asm volatile("cp.async.bulk.tensor." #RANK "d.shared::cluster.global.tile." HEDDLE_PTX_TOLD    \
                 " [%0], [%1, " COORDINATES "], [%2];" ::"r"(__heddle::window(to)),                \
                 "l"(map), "r"(__heddle::window(barrier)), HEDDLE_PTX_AT_##RANK                    \
                 : "memory");                                                                      \
  }                                                                                                \
  __device__ static inline void cp_async_bulk_tensor(space_shared_t, space_global_t, void *to,     \
                                                     const void *map, const int32_t(&at)[RANK],    \
                                                     uint64_t *barrier) {                          \
    cp_async_bulk_tensor(space_cluster, space_global, to, map, at, barrier);                       \
  }                                                                                                \
  __device__ static inline void cp_async_bulk_tensor(space_cluster_t, space_global_t, void *to,    \
                                                     const void *map, const int32_t(&at)[RANK],    \
                                                     uint64_t *barrier, const uint16_t &blocks) {  \
    asm volatile("cp.async.bulk.tensor." #RANK "d.shared::cluster.global.tile." HEDDLE_PTX_TOLD    \
                 ".multicast::cluster [%0], [%1, " COORDINATES "], [%2], %" HEDDLE_PTX_MASK_##RANK \
                 ";" ::"r"(__heddle::window(to)),                                                  \
                 "l"(map), "r"(__heddle::window(barrier)), HEDDLE_PTX_AT_##RANK, "h"(blocks)       \
                 : "memory");                                                                      \
  }                                                                                                \
  __device__ static inline void cp_async_bulk_tensor(space_global_t, space_shared_t,               \
                                                     const void *map, const int32_t(&at)[RANK],    \
                                                     const void *from) {                           \
    asm volatile("cp.async.bulk.tensor." #RANK                                                     \
                 "d.global.shared::cta.tile.bulk_group [%1, " COORDINATES "], [%2];" ::"r"(0),     \
                 "l"(map), "r"(__heddle::window(from)), HEDDLE_PTX_AT_##RANK                       \
                 : "memory");                                                                      \
  }                                                                                                \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, add, ".add")                                         \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, min, ".min")                                         \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, max, ".max")                                         \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, inc, ".inc")                                         \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, dec, ".dec")                                         \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, and_op, ".and")                                      \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, or_op, ".or")                                        \
  HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, xor_op, ".xor")
#define HEDDLE_PTX_TENSOR_REDUCE(RANK, COORDINATES, OP, TEXT)                                      \
  __device__ static inline void cp_reduce_async_bulk_tensor(                                       \
      space_global_t, space_shared_t, op_##OP##_t, const void *map, const int32_t(&at)[RANK],      \
      const void *from) {                                                                          \
    asm volatile("cp.reduce.async.bulk.tensor." #RANK "d.global.shared::cta" TEXT                  \
                 ".tile.bulk_group [%1, " COORDINATES "], [%2];" ::"r"(0),                         \
                 "l"(map), "r"(__heddle::window(from)), HEDDLE_PTX_AT_##RANK                       \
                 : "memory");                                                                      \
  }
#define HEDDLE_PTX_MASK_1 "4"
#define HEDDLE_PTX_MASK_2 "5"
#define HEDDLE_PTX_MASK_3 "6"
#define HEDDLE_PTX_MASK_4 "7"
#define HEDDLE_PTX_MASK_5 "8"
HEDDLE_PTX_TENSOR(1, "{%3}")
HEDDLE_PTX_TENSOR(2, "{%3, %4}")
HEDDLE_PTX_TENSOR(3, "{%3, %4, %5}")
HEDDLE_PTX_TENSOR(4, "{%3, %4, %5, %6}")
HEDDLE_PTX_TENSOR(5, "{%3, %4, %5, %6, %7}")
#undef HEDDLE_PTX_TENSOR
#undef HEDDLE_PTX_TENSOR_REDUCE
#undef HEDDLE_PTX_AT_1
#undef HEDDLE_PTX_AT_2
#undef HEDDLE_PTX_AT_3
#undef HEDDLE_PTX_AT_4
#undef HEDDLE_PTX_AT_5
#undef HEDDLE_PTX_MASK_1
#undef HEDDLE_PTX_MASK_2
#undef HEDDLE_PTX_MASK_3
#undef HEDDLE_PTX_MASK_4
#undef HEDDLE_PTX_MASK_5

} // namespace ptx
} // namespace cuda

#endif
