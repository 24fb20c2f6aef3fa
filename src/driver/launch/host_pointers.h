// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/module.h"

namespace heddle::driver {

/// Looks at a launch's packed parameters for pointers that no device can use. Says once a kernel
/// which one, and sees to it that the kernel faults where it touches such memory; see
/// host_pointers.cpp.
void checkPointers(Function &, Context &, uint8_t *packed);

/// Kernels may use all memory of the host: the first device can, or the program was built so.
bool usesHostMemory();

} // namespace heddle::driver
