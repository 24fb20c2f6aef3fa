// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API by their names.
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// The CUDA version of this driver.
constexpr int Version = CUDA_VERSION;

/// What a program gets for a name without version: of the versions of the function the highest that
/// is not newer than `version`.
struct Found {
  void *function = nullptr;
  std::string_view symbol, suffix; ///< of the twin, if it is that
  bool isTooNew = false;           ///< there are only newer ones
};
/// `isPerThread`: the twin for the per-thread default stream, where there is one.
Found findEntryPoint(std::string_view name, int version, bool isPerThread);

} // namespace heddle::driver
