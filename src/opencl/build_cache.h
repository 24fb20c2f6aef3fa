// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/opencl/compiler.h"

namespace heddle::cl {

/// Compiles, or reads from the cache on disk what compiling has given before. Where there is no
/// compiler, the log says so.
opencl::Compiled compileSource(const opencl::CompileRequest &);
/// The same for linking.
opencl::Linked linkPrograms(const opencl::LinkRequest &);
opencl::Linked specializeKernel(const opencl::SpecializeRequest &);

} // namespace heddle::cl
