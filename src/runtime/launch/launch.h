// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/modules/module.h"

namespace heddle::runtime {

/// The largest block that the kernel can run in: the device's limit, __launch_bounds__, and registers.
int maxThreadsPerBlock(Function &, Device &);

/// Bytes of dynamic shared memory that a launch may ask for.
int maxDynamicShared(Function &, Device &);

/// Runs `body(function, device)` inside enter() for the kernel of a host stub on the current device.
template <typename F> cudaError_t withFunction(const void *stub, F &&body) {
  return enter([&]() -> cudaError_t {
    Function *function;
    Device &device = currentDevice();
    if (cudaError_t error = findFunction(stub, device, function))
      return error;
    return body(*function, device);
  });
}

} // namespace heddle::runtime
