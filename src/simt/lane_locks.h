// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower_device.h"

namespace heddle::simt {

/// Whether lanes of one warp may wait for each other in a loop: `while (atomicCAS(lock, 0, 1));`.
/// Such a kernel needs independent threads, as NVIDIA's GPUs have since Volta, and runs at width 1.
bool lanesWaitForLanes(const ThreadProgram &, const Options &);

} // namespace heddle::simt
