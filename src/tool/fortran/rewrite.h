// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

struct RewrittenSource {
  std::string text;
  std::vector<std::string> included; ///< files whose text is in the source instead of INCLUDE
};

/// A source with what Flang 22 lacks put in its place (rewrite.cpp); none if there is nothing to
/// do. Lines and, but for ends of statements, columns stay. A directive in front names the source
/// `path` in diagnostics. `fixedLength`: where lines of a source of fixed form end; 0 for free
/// form. `folders`: where included files are, beside the folder of the source.
std::optional<RewrittenSource> rewriteFortran(std::string_view text, const std::string &path,
                                              size_t fixedLength,
                                              const std::vector<std::string> &folders);

} // namespace heddle::tool
