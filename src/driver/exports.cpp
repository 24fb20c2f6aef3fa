// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libcuda.so.1 exports: the functions of driver.def and their twins under their names. A twin
// is the function itself, called with the null stream meaning the calling thread's own.
#include "driver/call.h"
#include "driver/functions.h"

using namespace heddle;
using driver::Function;

#define HEDDLE_EXPORT extern "C" __attribute__((visibility("default"))) CUresult

#define HEDDLE_BODY_Done(symbol, needs, arguments)                                                 \
  driver::call(Function::symbol, driver::Needs::needs, [&] { return driver::symbol arguments; })
#define HEDDLE_BODY_Unsupported(symbol, needs, arguments) driver::refuse(Function::symbol)

#define HEDDLE_TWIN_None(symbol, parameters, arguments)
#define HEDDLE_TWIN_ptds(symbol, parameters, arguments)                                            \
  HEDDLE_EXPORT symbol##_ptds parameters {                                                         \
    driver::PerThreadScope scope;                                                                  \
    return ::symbol arguments;                                                                     \
  }
#define HEDDLE_TWIN_ptsz(symbol, parameters, arguments)                                            \
  HEDDLE_EXPORT symbol##_ptsz parameters {                                                         \
    driver::PerThreadScope scope;                                                                  \
    return ::symbol arguments;                                                                     \
  }

// clang-format off
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  HEDDLE_EXPORT symbol parameters {                                                                \
    return HEDDLE_BODY_##state(symbol, needs, arguments);                                          \
  }                                                                                                \
  HEDDLE_TWIN_##twin(symbol, parameters, arguments)
// clang-format on
#include "driver/driver.def"
