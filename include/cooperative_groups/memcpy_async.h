// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by a whole group (CUDA guide, "memcpy_async"). They are done when the call returns, which
// the guide allows; what is left to wait for is the other threads. Racecheck is told where each
// thread's begin, but of what is no whole words, which a GPU does not copy asynchronously, either.
// Sizes may be cuda::aligned_size_t: anything that converts to size_t.
#ifndef HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define HEDDLE_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H

#include "../cooperative_groups.h"
#include "../cuda_pipeline_primitives.h"

#if defined(__CUDACC__) && defined(__CUDA__)
#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

namespace details {

template <class T> struct CopiedAs {
  using Type = T;
};
template <> struct CopiedAs<void> {
  using Type = unsigned char;
};

/// Thread by thread, a T after the other.
template <class T, class Group>
HEDDLE_D void copyElements(const Group &g, T *dst, const T *src, size_t count) {
  const size_t step = g.size();
  for (size_t i = g.thread_rank(); i < count; i += step) {
    dst[i] = src[i];
    if (sizeof(T) % 4 == 0)
      __heddle_async_note(dst + i, __heddle_async_begins, sizeof(T));
  }
}
/// Of small elements words, if they are whole ones; byte by byte if `bytes` are no whole number of T.
template <class T, class Group>
HEDDLE_D void copyTogether(const Group &g, T *dst, const T *src, size_t bytes) {
  if (sizeof(T) < 4 && (((size_t)dst | (size_t)src | bytes) & 3) == 0)
    copyElements(g, (unsigned *)dst, (const unsigned *)src, bytes / 4);
  else if (bytes % sizeof(T) == 0)
    copyElements(g, dst, src, bytes / sizeof(T));
  else
    copyElements(g, (char *)dst, (const char *)src, bytes);
  __heddle_async_note(0, __heddle_async_commits, 0);
}

} // namespace details

/// `bytes` of an array.
template <class Group, class T, class Bytes>
HEDDLE_D void memcpy_async(const Group &g, T *__restrict__ dst, const T *__restrict__ src,
                           const Bytes &bytes) {
  using Element = typename details::CopiedAs<T>::Type;
  details::copyTogether(g, (Element *)dst, (const Element *)src, (size_t)bytes);
}
/// Lengths in elements; the shorter counts.
template <class Group, class T, class DstLength, class SrcLength>
HEDDLE_D void memcpy_async(const Group &g, T *__restrict__ dst, const DstLength &dstLength,
                           const T *__restrict__ src, const SrcLength &srcLength) {
  const size_t to = (size_t)dstLength, from = (size_t)srcLength;
  memcpy_async(g, dst, src, (to < from ? to : from) * sizeof(typename details::CopiedAs<T>::Type));
}
/// All copies of the group are done.
template <class Group> HEDDLE_D void wait(const Group &g) {
  __heddle_async_note(0, __heddle_async_waits, 0);
  g.sync();
}
/// All but the `Stages` last ones.
template <unsigned Stages, class Group> HEDDLE_D void wait_prior(const Group &g) {
  __heddle_async_note(0, __heddle_async_waits, Stages);
  g.sync();
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
