// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exported functions whose bodies lie in src/driver.
#include "runtime/thread.h"

// The functions of older toolkits lie beside the new ones under these names.
#undef cudaGetDeviceProperties
#undef cudaStreamGetCaptureInfo
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync

#include "driver/bodies.h"

using heddle::driver::OldSignalParams, heddle::driver::OldWaitParams;

#define HEDDLE_BODY(name, parameters, arguments)                                                   \
  HEDDLE_API cudaError_t name parameters {                                                         \
    return heddle::runtime::keep(heddle::driver::name arguments);                                  \
  }
#include "driver/bodies.def"
