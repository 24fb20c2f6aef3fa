// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the driver API by their names.
#pragma once

#include "driver/table.h"

namespace heddle::driver {

/// What a program gets for a name without version.
struct Found {
  void *function = nullptr;
  bool isTooNew = false; ///< there is none, for all versions of the function are newer
  bool isSupported = true;
};
/// Of the versions of a function the highest that is not above `version`, and the twin for the
/// per-thread default stream where there is one and it is wanted.
Found findEntryPoint(std::string_view name, int version, bool isPerThread);

} // namespace heddle::driver
