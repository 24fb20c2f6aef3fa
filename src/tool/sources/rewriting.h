// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// What to put in place of the text from `begin` to `end`.
struct Rewriting {
  size_t begin, end;
  std::string text;
};

/// The offsets in the file `path`, whose text is `source`, at which clang's `diagnostics` report
/// the error `message`.
std::set<size_t> placesOfError(std::string_view source, std::string_view path,
                               std::string_view diagnostics, std::string_view message);

/// The text with all rewritings done, in any order; nothing if two overlap.
std::optional<std::string> rewritten(std::string_view source, std::vector<Rewriting> rewritings);

} // namespace heddle::tool
