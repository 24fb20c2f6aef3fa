// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace heddle {

/// Whether a source file is one of our or of clang's headers. A report that would name a line in
/// one names the user's line that it was inlined into.
inline bool isToolFile(std::string_view path) {
  return path.find("/lib/heddle/include/") != path.npos || path.find("/lib/clang/") != path.npos ||
         path.starts_with("lib/heddle/include/"); // of a precompiled header
}

} // namespace heddle
