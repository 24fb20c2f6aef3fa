// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvfortran takes integers among the reals of an array constructor, and converts them to the first item's type:
//
//   [0.0, 0.0, -1]   ->  [real :: 0.0, 0.0, -1]
//
// The standard wants one type, and Flang 22 an explicit one. Constructors of literals get it; others need types of variables,
// which are not known here.
#include "driver/fortran/statements.h"

#include <optional>
#include <regex>

namespace heddle::driver {

namespace {

/// The type of a literal real, or "integer"; none if the item is something else.
std::optional<std::string> typeOf(const std::string &item) {
  static const std::regex Integer(R"(\s*[+-]?\s*\d+\s*)");
  static const std::regex Real(R"(\s*[+-]?\s*(\d+\.\d*|\.\d+)([ed][+-]?\d+)?(_\w+)?\s*)",
                               std::regex::icase);
  std::smatch parts;
  if (std::regex_match(item, Integer))
    return "integer";
  if (!std::regex_match(item, parts, Real))
    return {};
  std::string exponent = parts[2], kind = parts[3];
  if (!kind.empty())
    return "real(" + kind.substr(1) + ")";
  return !exponent.empty() && (exponent[0] == 'd' || exponent[0] == 'D') ? "double precision"
                                                                         : "real";
}

/// What the constructor of these tokens begins with in front of its first item; empty if it stays as it is.
std::string typeFor(std::string_view text, const Statement &s, size_t open, size_t close) {
  std::string first;
  bool hasInteger = false;
  size_t begin = s[open].end;
  for (size_t i = open + 1; i <= close; ++i) {
    if (i < close && s[i].text != ",")
      continue;
    std::optional<std::string> type = typeOf(std::string(text.substr(begin, s[i].begin - begin)));
    if (!type)
      return "";
    if (first.empty())
      first = *type;
    hasInteger |= *type == "integer";
    begin = s[i].end;
  }
  return hasInteger && first != "integer" ? first + " :: " : "";
}

} // namespace

void rewriteConstructors(std::string_view text, const std::vector<Statement> &statements,
                         std::vector<Edit> &edits) {
  for (const Statement &s : statements)
    for (size_t open = 0; open < s.size(); ++open) {
      if (s[open].text != "[")
        continue;
      size_t close = open + 1;
      while (close < s.size() && s[close].text != "]" && s[close].text != "[")
        ++close;
      if (close == s.size() || s[close].text == "[")
        continue;
      if (std::string type = typeFor(text, s, open, close); !type.empty())
        edits.push_back({s[open].end, s[open].end, type});
    }
}

} // namespace heddle::driver
