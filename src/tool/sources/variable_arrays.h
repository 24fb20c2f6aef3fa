// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/sources/rewriting.h"

namespace heddle::tool {

/// clang's error that is repaired here.
inline constexpr std::string_view VariableArraysMessage =
    "variable-sized object may not be initialized";

/// The header that the rewritten text needs.
inline constexpr const char *VariableArraysHeader = "heddle/variable_arrays.h";

/// g++ takes initial values for an array of variable length (int v[n] = {1, 2}), clang does not.
/// What to write for the arrays of the file `path`, whose text is `source`, that clang's
/// `diagnostics` name. Nothing if one has a form that is not known.
std::optional<std::vector<Rewriting>> initialiseVariableArrays(std::string_view source,
                                                               std::string_view path,
                                                               std::string_view diagnostics);

} // namespace heddle::tool
