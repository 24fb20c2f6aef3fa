// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string_view>

namespace heddle {

/// A function of the device runtime (device_functions.def).
inline bool isDeviceRuntime(std::string_view name) {
  constexpr std::string_view Names[] = {
#define HEDDLE_DEVICE_FUNCTION(NAME) #NAME,
#define HEDDLE_DEVICE_NAME(NAME) #NAME,
#include "base/abi/device_functions.def"
  };
  return std::find(std::begin(Names), std::end(Names), name) != std::end(Names);
}

} // namespace heddle
