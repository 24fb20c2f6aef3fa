// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes JSON in programs that have no LLVM.
#pragma once

#include <string>

namespace heddle::json {

std::string quote(const std::string &text);

/// Members or elements with commas between.
class List {
public:
  explicit List(const char *between = ", ") : between_(between) {}
  void add(const std::string &item) { text_ += (text_.empty() ? "" : between_) + item; }
  void add(const char *name, const std::string &value) { add(quote(name) + ": " + value); }
  std::string object() const { return "{" + text_ + "}"; }
  std::string array() const { return "[" + text_ + "]"; }

private:
  std::string text_, between_;
};

} // namespace heddle::json
