// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The headers that a source includes before anything else, as it spells them: <vector>, "a.h".
std::vector<std::string> leadingHeaders(std::string_view text);

/// The headers at the top of one source, compiled before.
class PrecompiledHeaders {
public:
  PrecompiledHeaders(const Settings &, std::string source);

  /// clang's options that put them in front of a compilation, which is `command` without its source
  /// and outputs; empty where there are none yet. May compile them.
  Command flags(const Command &command);

  /// After a compilation that failed: true if it had precompiled headers, and is worth another
  /// without. `errors` are its messages.
  bool giveUp(const std::vector<std::string> &errors);

private:
  std::string folder_; ///< empty: none are wanted
  std::string source_;
  std::vector<std::string> headers_;
  std::vector<std::string> used_;
  std::string clang_; ///< its file's size and time
};

} // namespace heddle::tool
