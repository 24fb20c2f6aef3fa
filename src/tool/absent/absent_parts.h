// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace heddle::tool {

/// What a compiler said, where "no such file" about a header of CUDA's becomes "not in this version
/// of Heddle"; clang's and g++'s words are known. Other text stays as it is.
std::string explainAbsentHeaders(std::string_view compilerText);

/// What a linker said, with a line more if it misses functions of the CUDA driver API for other APIs.
std::string explainAbsentSymbols(std::string_view linkerText);

/// A program of the toolkit that is not there; the heddle command is called by its name.
struct AbsentTool {
  std::string_view name;
  const char *title; ///< as NVIDIA calls it
  std::string_view why;
};

/// Null: it is none of them.
const AbsentTool *findAbsentTool(std::string_view name);

} // namespace heddle::tool
