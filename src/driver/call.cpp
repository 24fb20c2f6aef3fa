// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/call.h"

#include "base/messages.h"

#include <atomic>

namespace heddle::driver {

/// Nothing initialises the driver yet: cuInit is not supported.
CUresult before(Function, Needs needs) {
  return needs == Needs::Always ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult refuse(Function function) {
  static std::atomic<bool> said[static_cast<size_t>(Function::Count)];
  size_t index = static_cast<size_t>(function);
  if (!said[index].exchange(true, std::memory_order_relaxed))
    tellf("heddle: %s: not supported\n", ownEntries()[index].symbol.data());
  return CUDA_ERROR_NOT_SUPPORTED;
}

} // namespace heddle::driver
