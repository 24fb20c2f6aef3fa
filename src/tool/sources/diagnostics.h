// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// Makes one list of diagnostics of what clang said about `source` in several compilations: for the
/// host, for each architecture. What two of them report is shown once, lines that name our
/// internals go, and a count of the errors closes it, as nvcc has it.
std::string mergeDiagnostics(const std::string &source, const std::vector<std::string> &texts);

/// Without terminal escapes.
std::string withoutColour(std::string_view text);

} // namespace heddle::tool
