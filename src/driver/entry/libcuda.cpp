// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libcuda.so exports: the functions of driver.def under their names. Those of now keep nothing
// between calls, so the library needs no share of the runtime's state.
#include "driver/entry/driver.h"

#define HEDDLE_DRIVER(name, since, parameters, arguments)                                          \
  extern "C" __attribute__((visibility("default"))) CUresult name parameters {                     \
    return heddle::driver::name arguments;                                                         \
  }
#include "driver/entry/driver.def"
