// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by a whole group. They are done when the call returns; wait() only synchronises the group.
#ifndef HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"

#if defined(__CUDACC__) && defined(__CUDA__)
namespace cooperative_groups {

template <class Group, class T>
__device__ __forceinline__ void memcpy_async(const Group &g, T *dst, const T *src, size_t bytes) {
  const size_t step = g.size();
  if (bytes % sizeof(T) == 0) {
    for (size_t i = g.thread_rank(); i < bytes / sizeof(T); i += step)
      dst[i] = src[i];
  } else {
    for (size_t i = g.thread_rank(); i < bytes; i += step)
      ((char *)dst)[i] = ((const char *)src)[i];
  }
}
/// Lengths in elements; the shorter counts.
template <class Group, class T>
__device__ __forceinline__ void memcpy_async(const Group &g, T *dst, size_t dstLength, const T *src,
                                             size_t srcLength) {
  memcpy_async(g, dst, src, (dstLength < srcLength ? dstLength : srcLength) * sizeof(T));
}
template <class Group> __device__ __forceinline__ void wait(const Group &g) { g.sync(); }
template <unsigned Stages, class Group> __device__ __forceinline__ void wait_prior(const Group &g) {
  g.sync();
}

} // namespace cooperative_groups
#endif
#endif
