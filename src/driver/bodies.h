// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the runtime API whose bodies still lie here, in the rooms of their objects: those
// that runtime.def calls Driver. Each moves to src/runtime as a translation onto the driver API.
#pragma once

#include "driver_types.h"
#include "heddle/driver_api_types.h"

namespace heddle::driver {

#define HEDDLE_BODY_Done(symbol, parameters)
#define HEDDLE_BODY_Unsupported(symbol, parameters)
#define HEDDLE_BODY_Driver(symbol, parameters) CUresult symbol parameters;
#define HEDDLE_RUNTIME(group, state, twin, sides, returns, symbol, parameters, arguments)          \
  HEDDLE_BODY_##state(symbol, parameters)
#include "runtime/runtime.def"
#undef HEDDLE_BODY_Done
#undef HEDDLE_BODY_Unsupported
#undef HEDDLE_BODY_Driver

} // namespace heddle::driver
