// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/interop_types.h"
#include "heddle/driver_types.h"

/// The driver API's functions, without its names for linkers: what driver.def calls Done is defined
/// here, and run by driver/exports.cpp.
namespace heddle::driver {

#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  CUresult symbol parameters;
#include "driver/driver.def"

} // namespace heddle::driver
