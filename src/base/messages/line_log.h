// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace heddle {

/// Adds a line to the end of a file that many processes write to. What cannot be written is lost:
/// these files are for tools that watch us.
void appendLine(const char *file, std::string line);

} // namespace heddle
