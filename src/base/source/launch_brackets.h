// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// nvcc takes `<< <` and `>> >` around a kernel's launch configuration, as some editors format it,
/// for `<<<` and `>>>`; clang does not. The source with the blanks moved behind the brackets, every
/// other character where it was; nothing if there is no such launch.
std::optional<std::string> joinLaunchBrackets(std::string_view source);

} // namespace heddle
