// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::cuda {

/// Where the headers lie that a program brings, in each compilation its own.
inline constexpr const char *HeaderFolder = "/heddle-program-headers/";

/// The file of the header that is included by exactly this name.
std::string headerPath(llvm::StringRef name);

} // namespace heddle::cuda
