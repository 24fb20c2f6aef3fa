// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle::frontend {

/// Device bitcode of CUDA source, by the clang of this build, with no header but a few macros
/// (__global__, __device__, __shared__, __constant__, __managed__, __launch_bounds__, threadIdx as
/// TID). Empty if clang fails; its messages are on stderr.
std::string compileDevice(const std::string &source, const std::string &options = "");

} // namespace heddle::frontend
