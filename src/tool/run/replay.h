// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle replay`: saves a launch of a program, and runs a saved one again.
int runReplay(const std::vector<std::string> &);

/// `heddle diff`: runs a program on two devices, and says which kernel first has other results.
int runDiff(const std::vector<std::string> &);

} // namespace heddle::tool
