// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/debugger_abi.h"

namespace heddle::device::cpu {

/// What compiled code asks of this device.
extern const DebugServices cpuServices;

} // namespace heddle::device::cpu
