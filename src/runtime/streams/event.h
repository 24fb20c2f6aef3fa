// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/state.h"

namespace heddle::runtime {

/// For cudaDeviceReset: destroys all events of the device.
void resetEvents(Device &);

} // namespace heddle::runtime
