// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of host functions.
#include "driver/bodies.h"
#include "driver/functions.h"

namespace heddle::driver {

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData) {
  return cudaLaunchHostFunc(stream, function, userData);
}

} // namespace heddle::driver
