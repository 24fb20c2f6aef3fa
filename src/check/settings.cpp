// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/settings.h"

#include "base/messages/messages.h"

#include <cstdlib>

namespace heddle::check {

namespace {

/// The words of HEDDLE_CHECK_OPTIONS, line by line: a word may hold blanks.
std::vector<std::string> wordsOf(const char *text) {
  std::vector<std::string> words;
  std::string all = text ? text : "";
  for (size_t at = 0; at < all.size();) {
    size_t end = std::min(all.find('\n', at), all.size());
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

CheckOptions read() {
  const char *list = std::getenv("HEDDLE_CHECK");
  if (!list || !*list)
    return {};
  std::vector<std::string> rest;
  auto options = parseCheckOptions(wordsOf(std::getenv("HEDDLE_CHECK_OPTIONS")), rest);
  auto checks = parseChecks(list);
  if (!options || !checks) {
    tellf("heddle: HEDDLE_CHECK: %s\n", (!checks ? checks.error() : options.error()).c_str());
    return {};
  }
  options->checks = *checks;
  return *options;
}

} // namespace

const CheckOptions &settings() {
  static const CheckOptions options = read();
  return options;
}

} // namespace heddle::check
