// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/sources/rewriting.h"

namespace heddle::driver {

/// clang's error that is repaired here.
inline constexpr std::string_view SharedObjectMessage =
    "initialization is not supported for __shared__ variables";

/// The header that the rewritten text needs.
inline constexpr const char *SharedObjectHeader = "heddle/shared_object.h";

/// nvcc takes a __shared__ variable whose constructor does something, and never calls it; clang
/// does not take it. Finds the declarations in the file `path`, whose text is `source`, that
/// clang's `diagnostics` name, and what to write instead. Nothing if one has a form that is not
/// known.
std::optional<std::vector<Rewriting>>
liftSharedObjects(std::string_view source, std::string_view path, std::string_view diagnostics);

} // namespace heddle::driver
