// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of driver.def and their twins, as programs call them: ownTable() leads here, and
// libcuda.so.1 by it. A twin is the function itself, called with the null stream meaning the calling
// thread's own.
#include "driver/call.h"
#include "driver/functions.h"

namespace heddle::driver::exported {

#define HEDDLE_BODY_Done(symbol, needs, arguments)                                                 \
  driver::call(FunctionNumber::symbol, driver::Needs::needs,                                       \
               [&] { return driver::symbol arguments; })
#define HEDDLE_BODY_Unsupported(symbol, needs, arguments)                                          \
  driver::call(FunctionNumber::symbol, driver::Needs::needs,                                       \
               [&] { return driver::refuse(FunctionNumber::symbol); })
#define HEDDLE_BODY_Old(symbol, needs, arguments)                                                  \
  driver::call(FunctionNumber::symbol, driver::Needs::needs,                                       \
               [&] { return CUDA_ERROR_INVALID_CONTEXT; })

#define HEDDLE_TWIN_None(symbol, parameters, arguments)
#define HEDDLE_TWIN_ptds(symbol, parameters, arguments)                                            \
  CUresult symbol##_ptds parameters {                                                              \
    PerThreadScope scope;                                                                          \
    return exported::symbol arguments;                                                             \
  }
#define HEDDLE_TWIN_ptsz(symbol, parameters, arguments)                                            \
  CUresult symbol##_ptsz parameters {                                                              \
    PerThreadScope scope;                                                                          \
    return exported::symbol arguments;                                                             \
  }

// clang-format off
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  CUresult symbol parameters {                                                                \
    return HEDDLE_BODY_##state(symbol, needs, arguments);                                          \
  }                                                                                                \
  HEDDLE_TWIN_##twin(symbol, parameters, arguments)
// clang-format on
#include "driver/driver.def"

} // namespace heddle::driver::exported
