// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asm statement is the word, qualifiers, and parentheses that hold a template and lists of
// operands, each behind a colon. An operand ends with a parenthesis; what may follow is a comma, a
// colon or the end, so a literal or a bracket there begins the next operand.
#include "tool/sources/asm_spelling.h"
#include "base/source/source_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace heddle::tool {

namespace {

std::string_view wordAt(std::string_view s, size_t at) {
  size_t end = at;
  while (end < s.size() && isNameCharacter(s[end]))
    ++end;
  return s.substr(at, end - at);
}

bool isAsmWord(std::string_view word) {
  return word == "asm" || word == "__asm" || word == "__asm__";
}

bool isQualifier(std::string_view word) {
  return word == "volatile" || word == "__volatile__" || word == "__volatile" || word == "inline" ||
         word == "goto";
}

/// The opening parenthesis of the asm statement whose word ends at `at`; npos if it is none.
size_t findOpening(std::string_view s, size_t at) {
  at = skipBlanks(s, at);
  for (std::string_view word = wordAt(s, at); isQualifier(word); word = wordAt(s, at))
    at = skipBlanks(s, at + word.size());
  return at < s.size() && s[at] == '(' ? at : s.npos;
}

/// Finds where the statement in the parentheses from `at` to `end` lacks commas.
void findMissingCommas(std::string_view s, size_t at, size_t end, std::vector<size_t> &places) {
  bool inTemplate = true;
  for (++at; at < end;) {
    if (size_t behind = skipText(s, at); behind != at) {
      at = behind;
    } else if (s[at] == '(') {
      at = std::min(behindClosing(s, at), end);
      size_t next = skipBlanks(s, at);
      if (!inTemplate && next < end && (s[next] == '"' || s[next] == '['))
        places.push_back(at);
    } else {
      inTemplate = inTemplate && s[at] != ':';
      ++at;
    }
  }
}

std::vector<size_t> findMissingCommas(std::string_view s) {
  std::vector<size_t> places;
  for (size_t at = 0; at < s.size();) {
    if (size_t behind = skipText(s, at); behind != at) {
      at = behind;
      continue;
    }
    std::string_view word = wordAt(s, at);
    size_t opening = isAsmWord(word) ? findOpening(s, at + word.size()) : s.npos;
    size_t end = opening == s.npos ? s.npos : behindClosing(s, opening);
    if (end != s.npos)
      findMissingCommas(s, opening, end - 1, places);
    at = end != s.npos ? end : at + std::max<size_t>(word.size(), 1);
  }
  return places;
}

} // namespace

std::optional<std::string> spellAsm(std::string_view source) {
  std::vector<size_t> places = findMissingCommas(source);
  if (places.empty())
    return {};
  std::string text;
  size_t from = 0;
  for (size_t place : places) {
    text += source.substr(from, place - from);
    text += ',';
    from = place + (source[place] == ' '); // what follows stays in its column
  }
  return text + std::string(source.substr(from));
}

} // namespace heddle::tool
