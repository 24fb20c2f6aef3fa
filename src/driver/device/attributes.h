// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/state.h"

namespace heddle::driver {

/// What attributes.def says of a context's device. Error: CUDA_ERROR_INVALID_VALUE for a number that
/// the runtime API has no name for.
CUresult attributeOf(const Context &, cudaDeviceAttr, int &value);

} // namespace heddle::driver
