// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// The toolkit's nvlink: links relocatable device images.
int runNvlink(const std::vector<std::string> &words);

/// The toolkit's fatbinary: puts device images for several architectures into one file.
int runFatbinary(const std::vector<std::string> &words);

} // namespace heddle::tool
