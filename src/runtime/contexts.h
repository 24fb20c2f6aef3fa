// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/driver.h"

namespace heddle::runtime {

/// The primary context of a device, active. The runtime retains it at its first use, and again after
/// a reset. Error: CUDA_ERROR_INVALID_DEVICE.
CUresult primaryContext(int device, CUcontext &context);

} // namespace heddle::runtime
