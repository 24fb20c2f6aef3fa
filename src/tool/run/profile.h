// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle profile [options] program arguments`, or by the names of nvprof and ncu. As runCheck.
int runProfile(const std::vector<std::string> &arguments);
int runNvprof(const std::vector<std::string> &arguments);
int runNcu(const std::vector<std::string> &arguments);
/// `heddle predict --gpu k20,h100 program arguments`: what kernels take on these GPUs.
int runPredict(const std::vector<std::string> &arguments);
/// `nsys profile [options] program arguments`.
int runNsys(std::vector<std::string> arguments);

/// Whether this command runs programs as `heddle profile` does.
bool isProfileCommand(const std::string &name, const std::vector<std::string> &words);

} // namespace heddle::tool
