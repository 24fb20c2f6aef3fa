// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The prerequisites of a make rule as compilers write it.
std::vector<std::string> parseDependencies(std::string_view rule);

/// Adds those of `more` that are not in `list`.
void mergeDependencies(std::vector<std::string> &list, const std::vector<std::string> &more);

/// A make rule; with `phony`, an empty rule for each file but the first.
std::string formatDependencies(const std::string &target, const std::vector<std::string> &files,
                               bool phony);

} // namespace heddle::tool
