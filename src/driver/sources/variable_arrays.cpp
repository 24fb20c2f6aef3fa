// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's message has the place of the length. The declarator around it
//     *v[n][2] = {...}
// becomes two, of which the second fills the first and is a reference to its first scalar, so that
// it fits behind the same type:
//     *v[n][2], *&__heddle_filled_1 = __heddle_fill(v, sizeof(v), __heddle_list<__typeof__(v[0])>{...})
// Lines stay what they are.
#include "driver/sources/variable_arrays.h"
#include "driver/sources/diagnostics.h"
#include "driver/sources/source_text.h"

#include <cctype>
#include <cstdlib>
#include <set>

namespace heddle::driver {

namespace {

constexpr std::string_view Message = ": error: variable-sized object may not be initialized";

/// The offset of a line and column, both from 1; npos if the text has no such place.
size_t offsetOf(std::string_view text, size_t line, size_t column) {
  size_t at = 0;
  for (; line > 1; --line) {
    at = text.find('\n', at);
    if (at == text.npos)
      return at;
    ++at;
  }
  return column >= 1 && at + column - 1 < text.size() ? at + column - 1 : text.npos;
}

/// The offsets of the lengths of the arrays, in order.
std::set<size_t> findLengths(std::string_view source, std::string_view path,
                             const std::string &diagnostics) {
  std::set<size_t> lengths;
  std::string prefix = std::string(path) + ":";
  for (size_t at = 0; (at = diagnostics.find(Message, at)) != diagnostics.npos; ++at) {
    size_t begin = diagnostics.rfind('\n', at) + 1; // npos + 1 is 0
    if (diagnostics.compare(begin, prefix.size(), prefix) != 0)
      continue;
    char *end = nullptr;
    size_t line = std::strtoul(diagnostics.c_str() + begin + prefix.size(), &end, 10);
    size_t column = *end == ':' ? std::strtoul(end + 1, nullptr, 10) : 0;
    if (size_t offset = offsetOf(source, line, column); offset != source.npos)
      lengths.insert(offset);
  }
  return lengths;
}

size_t lastBefore(std::string_view s, size_t at) {
  return at == 0 ? s.npos : s.find_last_not_of(" \t\n", at - 1);
}

/// What to put in place of the text from `begin` to `end`.
struct Rewriting {
  size_t begin, end;
  std::string text;
};

/// The opening bracket of the array's first dimension, given the place of a length.
size_t firstBracket(std::string_view s, size_t length) {
  size_t open = s.rfind('[', length);
  if (open == s.npos || behindClosing(s, open) == s.npos || behindClosing(s, open) <= length)
    return s.npos;
  for (size_t before = lastBefore(s, open); before != s.npos && s[before] == ']';
       before = lastBefore(s, open)) {
    open = s.rfind('[', before);
    if (open == s.npos)
      return s.npos;
  }
  return open;
}

std::optional<Rewriting> rewrite(std::string_view s, size_t length, size_t number) {
  size_t open = firstBracket(s, length);
  size_t nameEnd = open == s.npos ? s.npos : lastBefore(s, open);
  if (nameEnd == s.npos || !isNameCharacter(s[nameEnd]))
    return {};
  size_t name = ++nameEnd;
  while (name > 0 && isNameCharacter(s[name - 1]))
    --name;
  std::string pointers;
  for (size_t before = lastBefore(s, name); before != s.npos && s[before] == '*';
       before = lastBefore(s, before))
    pointers += '*';

  size_t begin = open;
  while (begin < s.size() && s[begin] == '[') {
    begin = behindClosing(s, begin);
    if (begin == s.npos)
      return {};
    if (size_t next = skipBlanks(s, begin); next < s.size() && s[next] == '[')
      begin = next;
  }
  size_t list = skipBlanks(s, begin);
  if (list < s.size() && s[list] == '=')
    list = skipBlanks(s, list + 1);
  size_t end = list < s.size() && s[list] == '{' ? behindClosing(s, list) : s.npos;
  if (end == s.npos)
    return {};

  std::string array(s.substr(name, nameEnd - name));
  std::string values(s.substr(list, end - list));
  bool isEmpty = skipBlanks(values, 1) + 1 == values.size();
  std::string text = ", " + pointers + "&__heddle_filled_" + std::to_string(number) +
                     " __attribute__((unused)) = __heddle_fill(" + array + ", sizeof(" + array +
                     ")";
  if (!isEmpty)
    text += ", __heddle_list<__typeof__(" + array + "[0])>" + values;
  return Rewriting{begin, end, text + ")"};
}

} // namespace

std::optional<std::string> initialiseVariableArrays(std::string_view source, std::string_view path,
                                                    std::string_view diagnostics) {
  std::set<size_t> lengths = findLengths(source, path, withoutColour(diagnostics));
  if (lengths.empty())
    return {};
  std::string text;
  size_t from = 0, number = 0;
  for (size_t length : lengths) {
    std::optional<Rewriting> rewriting = rewrite(source, length, ++number);
    if (!rewriting || rewriting->begin < from)
      return {};
    text += source.substr(from, rewriting->begin - from);
    text += rewriting->text;
    from = rewriting->end;
  }
  return text + std::string(source.substr(from));
}

} // namespace heddle::driver
