// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "opencl/context.h"

namespace heddle::cl {

/// Whether memory of clSVMAlloc of this context begins at or holds `pointer`.
bool isSvm(_cl_context &, const void *pointer);

} // namespace heddle::cl
