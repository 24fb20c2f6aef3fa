// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/opencl/compiler.h"

namespace heddle::opencl {

/// OpenCL C to bitcode for nvptx64, not optimised, in this process. `resources` is clang's folder
/// with include/ in it. Recurses deeply: the stack must be large.
Compiled compileSource(const CompileRequest &, const std::string &resources);

} // namespace heddle::opencl
