// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that runtime.def calls Driver: their bodies lie in src/driver.
#include "runtime/driver.h"

#include "driver/bodies.h"

/// As `translate` does.
static void prepare() {
  using namespace heddle::runtime;
  if (!awaitsLoad.load(std::memory_order_relaxed))
    return;
  (void)cu().cuInit(0);
  loadAwaited();
}

#define HEDDLE_STATE_Done(symbol, parameters, arguments)
#define HEDDLE_STATE_Unsupported(symbol, parameters, arguments)
#define HEDDLE_STATE_Driver(symbol, parameters, arguments)                                         \
  HEDDLE_API cudaError_t symbol parameters {                                                       \
    prepare();                                                                                     \
    return heddle::runtime::keep(heddle::driver::symbol arguments);                                \
  }
#define HEDDLE_RUNTIME(group, state, twin, sides, returns, symbol, parameters, arguments)          \
  HEDDLE_STATE_##state(symbol, parameters, arguments)
#include "runtime/runtime.def"
