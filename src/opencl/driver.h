// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver below OpenCL: the table of CUDA's driver API, as below the runtime API.
#pragma once

#include "opencl/object.h"

#include "driver/table.h"

namespace heddle::cl {

/// The driver's functions, initialised.
const driver::Table &cu();
/// The devices that it has; 0 where it cannot be used.
int deviceCount();

/// OpenCL's code of one of the driver's. `otherwise` where it has none of its own.
cl_int codeOf(CUresult, cl_int otherwise = CL_OUT_OF_RESOURCES);

/// Makes a context the thread's current one, and the one before it again.
class Current {
public:
  explicit Current(CUcontext context);
  ~Current();
  Current(const Current &) = delete;

private:
  bool isPushed_ = false;
};

} // namespace heddle::cl
