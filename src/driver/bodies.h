// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of bodies.def.
#pragma once

#include "driver_types.h"
#include "heddle/driver_api_types.h"

namespace heddle::driver {

struct OldSignalParams; ///< of CUDA 10
struct OldWaitParams;

#define HEDDLE_BODY(name, parameters, arguments) CUresult name parameters;
#include "driver/bodies.def"

} // namespace heddle::driver
