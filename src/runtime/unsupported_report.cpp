// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/thread.h"

#include "driver/state.h"

namespace heddle::runtime {

int reportUnsupported(const char *name, std::atomic<bool> &said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    driver::reportFailure(name, "not supported");
  return keep(cudaErrorNotSupported);
}

} // namespace heddle::runtime
