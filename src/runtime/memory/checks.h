// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For what the runtime answers by itself: the driver says first whether it would work at all. The
// thread may have no context, the context may be lost, or the process a forked one.
#pragma once

#include "runtime/driver.h"

namespace heddle::runtime {

/// `code`, if the driver would copy in the current context; else why it would not.
inline CUresult answer(CUresult code) {
  const CUresult error = cu().cuMemcpy(0, 0, 0);
  return error == CUDA_SUCCESS ? code : error;
}

/// `code`, if the driver would make memory or free it, which captures of streams may forbid; else why
/// it would not.
inline CUresult answerUnsafe(CUresult code) {
  const CUresult error = cu().cuMemFree_v2(0);
  return error == CUDA_SUCCESS ? code : error;
}

/// Runs `make(address)` for memory. A program that gives no place for the pointer is the driver's to
/// refuse; where there is no memory, it gets a null pointer.
template <class Pointer, class F> CUresult allocate(void **out, F &&make) {
  Pointer address = {};
  const CUresult error = make(out ? &address : nullptr);
  if (out && (error == CUDA_SUCCESS || error == CUDA_ERROR_OUT_OF_MEMORY))
    *out = reinterpret_cast<void *>(address);
  return error;
}

} // namespace heddle::runtime
