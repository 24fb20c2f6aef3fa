// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::driver {

/// A source with what Flang 22 lacks put in its place (rewrite.cpp); none if there is nothing to
/// do. Lines and, but for ends of statements, columns stay. A directive in front names the source
/// `path` in diagnostics. `fixedLength`: where lines of a source of fixed form end; 0 for free
/// form.
std::optional<std::string> rewriteFortran(std::string_view text, std::string_view path,
                                          size_t fixedLength);

} // namespace heddle::driver
