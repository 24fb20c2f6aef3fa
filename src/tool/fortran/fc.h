// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle fc`, and nvfortran and pgfortran when called by these names. Returns the exit code.
int runFc(const std::vector<std::string> &arguments);

} // namespace heddle::tool
