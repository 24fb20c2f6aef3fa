// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/state.h"

#include <functional>

namespace heddle::driver {

/// The parameters of a launch as the kernel reads them.
struct PackedParams {
  uint8_t *data = nullptr;
  size_t bytes = 0;
};

/// Calls `launch` with the parameters one by one. Errors: its own, and CUDA_ERROR_INVALID_VALUE where
/// there are fewer bytes than the kernel reads.
CUresult withPacked(CUfunction, const PackedParams &,
                    const std::function<CUresult(void **)> &launch);

} // namespace heddle::driver
