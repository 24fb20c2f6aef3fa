// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/sources/rewriting.h"

namespace heddle::driver {

/// clang's error that is repaired here.
inline constexpr std::string_view MissingMemberMessage = "no member named '";

/// A function of a class template may name a member that the template does not have, as long as
/// nothing uses the function (Thrust's `optional<T &>::emplace`): nvcc and g++ look for members
/// when the function is instantiated, clang when it is defined. The text of the file `path`, which
/// is `source`, with such names that clang's `diagnostics` report written so that clang waits too;
/// those that it reports again are written as they were. Nothing if there are none.
std::optional<std::string> delayMissingMembers(std::string_view source, std::string_view path,
                                               std::string_view diagnostics);

} // namespace heddle::driver
