// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies from global to shared memory that a thread starts and later waits for (CUDA guide,
// "Asynchronous Data Copies", primitives interface). They are done when the call returns, which the
// guide allows, so there is nothing to wait for.
#ifndef HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define HEDDLE_CUDA_PIPELINE_PRIMITIVES_H
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_awbarrier_primitives.h"

#if defined(__CUDACC__) && defined(__CUDA__)
#if !defined(__CUDACC_RTC__)
#include <stddef.h>
#endif

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

/// Only checked code does anything there: a thread has begun a copy to somewhere, has ended a group
/// of copies, or has waited for all but the last groups (src/simt/analysis/async_copies.h).
enum __heddle_async_step { __heddle_async_begins, __heddle_async_commits, __heddle_async_waits };
extern "C" __device__ __attribute__((noconvergent, nothrow)) void
__heddle_async_note(const void *to, unsigned step, unsigned long long number);

/// `size_and_align`: 4, 8 or 16 bytes. The last `zfill` of them are zeros and are not read.
HEDDLE_D void __pipeline_memcpy_async(void *__restrict__ dst_shared,
                                      const void *__restrict__ src_global, size_t size_and_align,
                                      size_t zfill = 0) {
  const char *from = (const char *)src_global;
  char *to = (char *)dst_shared;
  if (zfill == 0 && size_and_align == 4)
    *(unsigned *)to = *(const unsigned *)from;
  else if (zfill == 0 && size_and_align == 8)
    *(uint2 *)to = *(const uint2 *)from;
  else if (zfill == 0 && size_and_align == 16)
    *(uint4 *)to = *(const uint4 *)from;
  else
    for (size_t i = 0; i < size_and_align; i++)
      to[i] = i + zfill < size_and_align ? from[i] : 0;
  __heddle_async_note(to, __heddle_async_begins, size_and_align);
}
HEDDLE_D void __pipeline_commit() { __heddle_async_note(0, __heddle_async_commits, 0); }
/// All but the last `prior` batches are there. For this thread: others still need a barrier.
HEDDLE_D void __pipeline_wait_prior(size_t prior) {
  __heddle_async_note(0, __heddle_async_waits, prior);
}
/// The barrier's phase is not over before the thread's copies are.
HEDDLE_D void __pipeline_arrive_on(__mbarrier_t *) {
  __heddle_async_note(0, __heddle_async_waits, ~0ull);
}

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
