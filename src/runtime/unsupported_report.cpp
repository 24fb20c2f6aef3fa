// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state.h"

namespace heddle::runtime {

int reportUnsupported(const char *name, std::atomic<bool> &said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    reportFailure(name, "not supported");
  return enterAfter(cudaErrorNotSupported, EnterPlain);
}

} // namespace heddle::runtime
