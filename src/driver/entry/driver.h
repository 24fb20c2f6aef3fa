// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "heddle/driver_graph_types.h"

/// The driver API's functions, without its names for linkers (driver.def says why).
namespace heddle::driver {

#define HEDDLE_DRIVER(name, since, parameters, arguments) CUresult name parameters;
#include "driver/entry/driver.def"

} // namespace heddle::driver
