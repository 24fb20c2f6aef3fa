// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// The toolkit's ptxas: makes a device image of PTX, with ptxas's options and messages.
int runPtxas(const std::vector<std::string> &words);

} // namespace heddle::tool
