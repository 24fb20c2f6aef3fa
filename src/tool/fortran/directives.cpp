// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PGI's spellings of the directive that lets arguments differ from dummies in type, kind or rank:
//
//   !pgi$ ignore_tkr a, b    ->  !dir$ ignore_tkr a, b
//   !pgi$ ignore_tr a, b     ->  !dir$ ignore_tkr (tr) a
//                                !dir$ ignore_tkr (tr) b
#include "tool/fortran/statements.h"

#include <cctype>
#include <regex>

namespace heddle::tool {

namespace {

/// The names of a list with commas.
std::vector<std::string> namesOf(const std::string &list) {
  static const std::regex Name(R"(\w+)");
  return {std::sregex_token_iterator(list.begin(), list.end(), Name), std::sregex_token_iterator()};
}

void rewriteLine(Source &source, size_t begin, size_t end) {
  static const std::regex Directive(
      R"(([ \t]*)[!c*](pgi|dir|nvf)\$[ \t]*ignore_t(k?)r[ \t]+([^!]*).*)", std::regex::icase);
  std::string line(source.text.substr(begin, end - begin));
  std::smatch parts;
  if (!std::regex_match(line, parts, Directive))
    return;
  if (parts.length(3) != 0) {
    size_t word = begin + static_cast<size_t>(parts.position(2));
    source.edits.push_back({word, word + static_cast<size_t>(parts.length(2)), "dir"});
    return;
  }
  std::string first = parts[1].str() + "!dir$ ignore_tkr (tr) ";
  std::vector<std::string> names = namesOf(parts[4]);
  source.edits.push_back({begin, end, names.empty() ? "" : first + names[0]});
  for (size_t i = 1; i < names.size(); ++i)
    addLine(source, end, first + names[i]);
}

} // namespace

void rewriteDirectives(Source &source) {
  for (size_t begin = 0; begin < source.text.size();) {
    size_t end = endOfLine(source.text, begin);
    if (source.text.substr(begin, end - begin).find('$') != std::string_view::npos)
      rewriteLine(source, begin, end);
    begin = end + 1;
  }
}

} // namespace heddle::tool
