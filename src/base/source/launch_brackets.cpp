// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `<< <` is no C++ but in one place: `operator<< <T>`. `>> >` closes templates, so it is only
// looked for behind an opening bracket, outside of parentheses, in the same statement.
#include "base/source/launch_brackets.h"
#include "base/source/source_text.h"

#include <vector>

namespace heddle {

namespace {

/// The brackets at `at`: how many characters they take with blanks between; 0 if none are there.
size_t bracketsAt(std::string_view s, size_t at, char bracket) {
  if (at + 2 >= s.size() || s[at] != bracket || s[at + 1] != bracket)
    return 0;
  size_t third = s.find_first_not_of(" \t", at + 2);
  if (third == s.npos || s[third] != bracket)
    return 0;
  return third + 1 - at;
}

bool followsOperator(std::string_view s, size_t at) {
  constexpr std::string_view Word = "operator";
  size_t end = s.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
  return at != 0 && end != s.npos && s.substr(0, end + 1).ends_with(Word);
}

/// The closing brackets of the launch that opens before `at`; npos if the statement has none.
size_t findClosing(std::string_view s, size_t at) {
  for (int depth = 0; at < s.size();) {
    if (size_t behind = skipText(s, at); behind != at) {
      at = behind;
      continue;
    }
    char c = s[at];
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (depth < 0 || (depth == 0 && c == ';'))
      break;
    if (depth == 0 && bracketsAt(s, at, '>'))
      return at;
    ++at;
  }
  return s.npos;
}

struct Brackets {
  size_t at, size;
};

std::vector<Brackets> spacedBrackets(std::string_view s) {
  std::vector<Brackets> found;
  for (size_t at = 0; at < s.size();) {
    if (size_t behind = skipText(s, at); behind != at) {
      at = behind;
      continue;
    }
    size_t size = followsOperator(s, at) ? 0 : bracketsAt(s, at, '<');
    size_t closing = size ? findClosing(s, at + size) : s.npos;
    if (closing == s.npos) {
      ++at;
      continue;
    }
    size_t closingSize = bracketsAt(s, closing, '>');
    if (size > 3)
      found.push_back({at, size});
    if (closingSize > 3)
      found.push_back({closing, closingSize});
    at = closing + closingSize;
  }
  return found;
}

/// Without a look at what is a comment: most headers have no such brackets at all.
bool mayHaveLaunch(std::string_view source) {
  for (size_t at = 0; (at = source.find("<<", at)) != source.npos; ++at)
    if (bracketsAt(source, at, '<'))
      return true;
  return false;
}

} // namespace

std::optional<std::string> joinLaunchBrackets(std::string_view source) {
  if (!mayHaveLaunch(source))
    return {};
  std::vector<Brackets> spaced = spacedBrackets(source);
  if (spaced.empty())
    return {};
  std::string text(source);
  for (auto [at, size] : spaced) {
    text[at + 2] = text[at];
    text[at + size - 1] = ' ';
  }
  return text;
}

} // namespace heddle
