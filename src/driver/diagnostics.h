// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle::driver {

/// Makes one list of diagnostics of what clang said about the host and the device half of `source`.
/// What both halves report is shown once, lines that name our internals go, and a count of the
/// errors closes it, as nvcc has it.
std::string mergeDiagnostics(const std::string &source, std::string_view host,
                             std::string_view device);

/// Without terminal escapes.
std::string withoutColour(std::string_view text);

} // namespace heddle::driver
