// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/kernel_abi.h"

namespace heddle::device::cpu {

/// What compiled code asks of this device.
extern const Services cpuServices;

} // namespace heddle::device::cpu
