// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/tools/process.h"

#include <string>
#include <string_view>

namespace heddle::tool {

/// How clang is to write the text.
Command hostSourceFlags(bool isDebugged);

/// A C++ source that any host compiler of GNU's kind makes the object of that assembly text makes;
/// see host_source.cpp. `name`: of the source that the text was made of.
std::string sourceOfAssembly(std::string_view assembly, std::string_view name);

} // namespace heddle::tool
