// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::driver {

/// A source of free form with what Flang 22 lacks put in its place (rewrite.cpp); none if there is nothing to do. Lines
/// and, but for ends of statements, columns stay. A directive in front names the source `path` in diagnostics.
std::optional<std::string> rewriteFortran(std::string_view text, std::string_view path);

} // namespace heddle::driver
