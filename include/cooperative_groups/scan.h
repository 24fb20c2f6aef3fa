// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefix sums over a tile or a coalesced group.
#ifndef HEDDLE_COOPERATIVE_GROUPS_SCAN_H
#define HEDDLE_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDACC__) && defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T, class Op>
__device__ __forceinline__ T inclusive_scan(const Group &g, T v, Op op) {
  const unsigned n = g.size(), rank = g.thread_rank();
  for (unsigned by = 1; by < n; by *= 2) {
    T other = g.shfl_up(v, by);
    if (rank >= by)
      v = op(other, v);
  }
  return v;
}
template <class Group, class T> __device__ __forceinline__ T inclusive_scan(const Group &g, T v) {
  return inclusive_scan(g, v, plus<T>());
}
/// The first thread gets T().
template <class Group, class T, class Op>
__device__ __forceinline__ T exclusive_scan(const Group &g, T v, Op op) {
  T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> __device__ __forceinline__ T exclusive_scan(const Group &g, T v) {
  return exclusive_scan(g, v, plus<T>());
}

} // namespace cooperative_groups
#endif
#endif
