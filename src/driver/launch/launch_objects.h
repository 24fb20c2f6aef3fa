// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/module.h"

namespace heddle::driver {

/// Numbers the allocations that a launch's pointer parameters point into (launch_objects.cpp).
ObjectNumbers numberObjects(const Function &, const uint8_t *packed, const uint8_t *globals);

/// Code that was compiled for one launch is right for the other.
bool fits(const ObjectNumbers &compiledFor, const ObjectNumbers &launch);

/// Some object that kernels can access has more than ShortObject bytes, or had; or a launch that
/// was noted has more than MostIndices threads along x.
bool hasLongObjects();

/// Before code is chosen for the launch.
void noteLaunch(const dim3 &grid, const dim3 &block);

} // namespace heddle::driver
