// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcuda::experimental::pipeline, the class around cuda_pipeline_primitives.h (CUDA 11 guide,
// "Asynchronous Copy Pipeline").
#ifndef HEDDLE_CUDA_PIPELINE_H
#define HEDDLE_CUDA_PIPELINE_H
#define _CUDA_PIPELINE_H_

#include "cuda_awbarrier.h"
#include "cuda_pipeline_primitives.h"

#if defined(__CUDACC__) && defined(__CUDA__)

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace nvcuda {
namespace experimental {

/// A thread's copies, in batches that are counted from 0.
class pipeline {
public:
  pipeline() = default;
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;

  /// Ends a batch; its number.
  HEDDLE_D size_t commit() {
    __pipeline_commit();
    return batches_++;
  }
  HEDDLE_D void commit_and_wait() { wait(commit()); }
  /// Until that batch is there.
  HEDDLE_D void wait(size_t batch) {
    __pipeline_wait_prior(batches_ > batch ? batches_ - batch - 1 : 0);
  }
  template <unsigned Prior> HEDDLE_D void wait_prior() { __pipeline_wait_prior(Prior); }
  HEDDLE_D void arrive_on(awbarrier &barrier) { __pipeline_arrive_on(&barrier.barrier_); }

private:
  size_t batches_ = 0;
};

/// From global to shared memory: an element, or an array.
template <class T> HEDDLE_D void memcpy_async(T &dst, const T &src, pipeline &) {
  __builtin_memcpy(&dst, &src, sizeof(T));
}
/// What the source is shorter becomes zeros.
template <class T, size_t DstCount, size_t SrcCount>
HEDDLE_D typename __clang_cuda_enable_if<(DstCount > SrcCount), void>::type
memcpy_async(T (&dst)[DstCount], const T (&src)[SrcCount], pipeline &) {
  __builtin_memcpy(dst, src, sizeof(src));
  __builtin_memset(dst + SrcCount, 0, sizeof(dst) - sizeof(src));
}

} // namespace experimental
} // namespace nvcuda

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
