// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over a tile or a coalesced group: cooperative_groups::reduce and the function objects.
#ifndef HEDDLE_COOPERATIVE_GROUPS_REDUCE_H
#define HEDDLE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDACC__) && defined(__CUDA__)
namespace cooperative_groups {

#define HEDDLE_OPERATION(name, expression)                                                         \
  template <class T> struct name {                                                                 \
    __device__ __forceinline__ T operator()(T a, T b) const { return expression; }                 \
  };
HEDDLE_OPERATION(plus, a + b)
HEDDLE_OPERATION(less, b < a ? b : a)
HEDDLE_OPERATION(greater, a < b ? b : a)
HEDDLE_OPERATION(bit_and, a &b)
HEDDLE_OPERATION(bit_or, a | b)
HEDDLE_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_OPERATION

/// The result in every thread.
template <unsigned Size, class Parent, class T, class Op>
__device__ __forceinline__ T reduce(const thread_block_tile<Size, Parent> &g, T v, Op op) {
#pragma unroll
  for (unsigned by = Size / 2; by > 0; by /= 2)
    v = op(v, g.shfl_xor(v, by));
  return v;
}
template <class T, class Op>
__device__ __forceinline__ T reduce(const coalesced_group &g, T v, Op op) {
  const unsigned n = g.size(), rank = g.thread_rank();
  for (unsigned by = 1; by < n; by *= 2) {
    T other = g.shfl_down(v, by);
    if (rank + by < n)
      v = op(v, other);
  }
  return g.shfl(v, 0);
}

} // namespace cooperative_groups
#endif
#endif
