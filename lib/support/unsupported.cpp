// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/unsupported.h"

#include <cstdio>

namespace heddle::library {

void reportUnsupported(const char *name, std::atomic<bool> &said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr, "heddle: %s: not supported\n", name);
}

} // namespace heddle::library
