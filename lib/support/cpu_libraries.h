// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/cpu_library.h"

namespace heddle::library {

/// The libraries that there are.
struct CpuLibraryName {
  const char *file, *package;
};

#define HEDDLE_CPU_LIBRARY(name, file, package, function, use)                                     \
  inline constexpr CpuLibraryName name{file, package};
#include "support/cpu_libraries.def"

} // namespace heddle::library
