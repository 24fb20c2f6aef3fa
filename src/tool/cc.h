// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/settings.h"

#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle cc`, and nvcc when called by that name. Returns the exit code.
int runCc(const std::vector<std::string> &arguments);

/// The texts of --help and --version.
std::string ccHelp();
std::string ccVersion(const Options &);

/// What a tool of the toolkit says to --version; `title` is NVIDIA's name of it.
std::string toolVersion(const std::string &tool, const std::string &title,
                        const CudaRelease &release = CudaReleases[0]);

} // namespace heddle::tool
