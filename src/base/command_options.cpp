// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/command_options.h"

#include <algorithm>

namespace heddle {

std::string joinLines(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : "\n") + word;
  return text;
}

std::vector<std::string> splitLines(const char *text) {
  std::vector<std::string> words;
  std::string all = text ? text : "";
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find('\n', at), all.size());
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

} // namespace heddle
