// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// The toolkit's bin2c: writes a file's bytes as an array of C to the standard output. The exit
/// status.
int runBin2c(const std::vector<std::string> &words);

} // namespace heddle::tool
