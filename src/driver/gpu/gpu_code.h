// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a device image to what the driver of a GPU takes: PTX.
#pragma once

#include "driver/gpu/machine_library.h"

#include "base/image/module_image.h"

#include <vector>

namespace heddle::driver {

/// The PTX of an image for GPUs of this compute capability (90), ended by a zero; from the cache, or
/// by libheddle_jit.so. `usesHostVariables`: managed variables are pointers to the host's, which who
/// loads the code sets.
Result<std::vector<uint8_t>> gpuCode(const ImageView &, unsigned capability,
                                     bool usesHostVariables);

/// That of the thread's current device, or of the first where it has none; 0: there is none.
unsigned gpuCapability(const Table &machine);

} // namespace heddle::driver
