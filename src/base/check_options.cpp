// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check_options.h"

#include <charconv>
#include <string_view>

namespace heddle {

namespace {

struct Tool {
  std::string_view name;
  uint32_t checks;
};

constexpr Tool Tools[] = {
    {"memcheck", CheckMemory},
    {"synccheck", CheckSync},
    {"floatcheck", CheckFloat},
};

} // namespace

Result<uint32_t> parseChecks(const std::string &list) {
  uint32_t checks = 0;
  for (size_t at = 0; at <= list.size();) {
    size_t end = std::min(list.find(',', at), list.size());
    std::string name = list.substr(at, end - at);
    uint32_t found = 0;
    for (const Tool &tool : Tools)
      if (name == tool.name || name == "all")
        found |= tool.checks;
    if (!found)
      return Failure{"there is no check '" + name + "'"};
    checks |= found;
    at = end + 1;
  }
  return checks;
}

Result<CheckOptions> parseCheckOptions(const std::vector<std::string> &words,
                                       std::vector<std::string> &rest) {
  CheckOptions options;
  options.checks = CheckMemory;
  size_t i = 0;
  for (; i < words.size() && words[i].starts_with("-"); ++i) {
    std::string name = words[i], value;
    size_t equals = name.find('=');
    bool hasValue = equals != std::string::npos;
    if (hasValue) {
      value = name.substr(equals + 1);
      name.resize(equals);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return Failure{"'" + name + "' wants a value"};
    }
    if (name == "--tool") {
      auto checks = parseChecks(value);
      if (!checks)
        return Failure{checks.error()};
      options.checks = *checks;
    } else if (name == "--print-limit") {
      auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), options.printLimit);
      if (error != std::errc() || end != value.data() + value.size())
        return Failure{"'" + value + "' is no number for '" + name + "'"};
    } else if (name == "--log-file") {
      options.logFile = value;
    } else {
      return Failure{"there is no option '" + name + "'"};
    }
  }
  rest.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  return options;
}

} // namespace heddle
