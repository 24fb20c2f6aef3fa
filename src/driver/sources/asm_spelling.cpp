// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An asm statement is the word, qualifiers, and parentheses that hold a template and lists of
// operands, each behind a colon. An operand ends with a parenthesis; what may follow is a comma, a
// colon or the end, so a literal or a bracket there begins the next operand.
//
// In the template a percent sign stands before an operand's number, a letter and a number (a
// modifier of the host's assembler), or a bracket. A letter before anything else begins the name of
// a register. Without operands the template is taken as it is.
#include "driver/sources/asm_spelling.h"
#include "driver/sources/source_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace heddle::driver {

namespace {

/// A character to put in before `at`, or in place of the one there.
struct Change {
  size_t at;
  char text;
  bool replaces;
};

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

bool isLetter(std::string_view s, size_t at) {
  return at < s.size() && std::isalpha(static_cast<unsigned char>(s[at]));
}

/// Doubles the percent signs before names in the literal from `at` to `end`.
void spellNames(std::string_view s, size_t at, size_t end, std::vector<Change> &changes) {
  for (; at < end; ++at) {
    if (s[at] != '%')
      continue;
    bool isModifier = s[at + 2] == '[' || std::isdigit(static_cast<unsigned char>(s[at + 2]));
    if (isLetter(s, at + 1) && !isModifier) // behind the letter at least the literal's end comes
      changes.push_back({at, '%', false});
    else
      ++at; // "%%" is one already
  }
}

/// The changes to the statement in the parentheses from `at` to `end`.
void spellStatement(std::string_view s, size_t at, size_t end, std::vector<Change> &changes) {
  std::vector<Change> names;
  bool inTemplate = true;
  for (++at; at < end;) {
    if (size_t behind = skipText(s, at); behind != at) {
      if (inTemplate && s[at] == '"')
        spellNames(s, at, behind, names);
      at = behind;
    } else if (s[at] == '(') {
      at = std::min(behindClosing(s, at), end);
      size_t next = skipBlanks(s, at);
      if (!inTemplate && next < end && (s[next] == '"' || s[next] == '['))
        changes.push_back({at, ',', s[at] == ' '});
    } else {
      if (s[at] == ':' && inTemplate) {
        changes.insert(changes.end(), names.begin(), names.end());
        inTemplate = false;
      }
      ++at;
    }
  }
}

std::vector<Change> findChanges(std::string_view s) {
  std::vector<Change> changes;
  for (size_t at = 0; at < s.size();) {
    if (size_t behind = skipText(s, at); behind != at) {
      at = behind;
      continue;
    }
    std::string_view word = wordAt(s, at);
    size_t opening = isAsmWord(word) ? findOpening(s, at + word.size()) : s.npos;
    size_t end = opening == s.npos ? s.npos : behindClosing(s, opening);
    if (end != s.npos)
      spellStatement(s, opening, end - 1, changes);
    at = end != s.npos ? end : at + std::max<size_t>(word.size(), 1);
  }
  return changes;
}

} // namespace

std::optional<std::string> spellAsm(std::string_view source) {
  std::vector<Change> changes = findChanges(source);
  if (changes.empty())
    return {};
  std::string text;
  size_t from = 0;
  for (const Change &change : changes) {
    text += source.substr(from, change.at - from);
    text += change.text;
    from = change.at + change.replaces;
  }
  return text + std::string(source.substr(from));
}

} // namespace heddle::driver
