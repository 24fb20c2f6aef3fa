// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace heddle {

/// Writes to standard error what Heddle has to tell. If that is a file that may not grow
/// (ulimit -f), the text is lost and the program goes on.
void tell(std::string_view text);
[[gnu::format(printf, 1, 2)]] void tellf(const char *format, ...);

} // namespace heddle
