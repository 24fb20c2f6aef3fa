// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <string_view>

namespace heddle {

/// Whether `list` (names between commas, as in HEDDLE_DISABLE) does not hold `name`.
inline bool isEnabled(std::string_view name, std::string_view list) {
  while (!list.empty()) {
    size_t end = list.find(',');
    if (list.substr(0, end) == name)
      return false;
    list.remove_prefix(end == list.npos ? list.size() : end + 1);
  }
  return true;
}

/// The same by HEDDLE_DISABLE of the environment.
inline bool isEnabled(std::string_view name) {
  const char *list = std::getenv("HEDDLE_DISABLE");
  return isEnabled(name, list ? list : "");
}

} // namespace heddle
