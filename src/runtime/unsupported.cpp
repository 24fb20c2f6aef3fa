// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that runtime.def calls Unsupported: they say so once and ignore their arguments.
#include "runtime/thread.h"

#include "base/messages/messages.h"

#include <atomic>

using namespace heddle::runtime;

static cudaError_t reportUnsupported(const char *name, std::atomic<bool> &said) {
  if (!said.exchange(true, std::memory_order_relaxed))
    heddle::tellf("heddle: %s: not supported\n", name);
  return keep(cudaErrorNotSupported);
}

#pragma clang diagnostic ignored "-Wunused-parameter"
#define HEDDLE_STATE_Done(returns, symbol, parameters)
#define HEDDLE_STATE_Unsupported(returns, symbol, parameters)                                      \
  HEDDLE_API returns symbol parameters {                                                           \
    static std::atomic<bool> said{false};                                                          \
    return reportUnsupported(#symbol, said);                                                       \
  }
#define HEDDLE_RUNTIME(group, state, majors, twin, sides, returns, symbol, parameters, arguments)  \
  HEDDLE_STATE_##state(returns, symbol, parameters)
#include "runtime/runtime.def"
