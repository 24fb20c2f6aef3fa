// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/source/source_text.h"

#include <cctype>

namespace heddle {

size_t skipText(std::string_view s, size_t at) {
  auto behind = [&](std::string_view mark, size_t from) {
    size_t end = s.find(mark, from);
    return end == s.npos ? s.size() : end + mark.size();
  };
  if (s.substr(at).starts_with("//"))
    return behind("\n", at);
  if (s.substr(at).starts_with("/*"))
    return behind("*/", at + 2);
  bool isDigitSeparator = s[at] == '\'' && at != 0 && s[at - 1] >= '0' && s[at - 1] <= '9';
  if ((s[at] != '"' && s[at] != '\'') || isDigitSeparator)
    return at;
  for (size_t i = at + 1; i < s.size() && s[i] != '\n'; ++i) {
    if (s[i] == '\\')
      ++i;
    else if (s[i] == s[at])
      return i + 1;
  }
  return at + 1; // no literal
}

size_t skipBlanks(std::string_view s, size_t at) {
  while (at < s.size()) {
    if (std::isspace(static_cast<unsigned char>(s[at])))
      ++at;
    else if (s.substr(at).starts_with("//") || s.substr(at).starts_with("/*"))
      at = skipText(s, at);
    else if (s.substr(at).starts_with("\\\n")) // a macro goes on
      at += 2;
    else
      break;
  }
  return at;
}

size_t lastBefore(std::string_view s, size_t at) {
  return at == 0 ? s.npos : s.find_last_not_of(" \t\n", at - 1);
}

size_t behindClosing(std::string_view s, size_t at) {
  for (int depth = 0; at < s.size();) {
    if (size_t behind = skipText(s, at); behind != at) {
      at = behind;
      continue;
    }
    char c = s[at++];
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (depth == 0)
      return at;
  }
  return s.npos;
}

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

} // namespace heddle
