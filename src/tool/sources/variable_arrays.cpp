// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's message has the place of the length. The declarator around it
//     *v[n][2] = {...}
// becomes two, of which the second fills the first and is a reference to its first scalar, so that
// it fits behind the same type:
//     *v[n][2], *&__heddle_filled_1 = __heddle_fill(v, sizeof(v),
//     __heddle_list<__typeof__(v[0])>{...})
// Lines stay what they are.
#include "tool/sources/variable_arrays.h"
#include "base/source/source_text.h"

#include <cctype>

namespace heddle::tool {

namespace {

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

std::optional<std::vector<Rewriting>> initialiseVariableArrays(std::string_view source,
                                                               std::string_view path,
                                                               std::string_view diagnostics) {
  std::vector<Rewriting> rewritings;
  for (size_t length : placesOfError(source, path, diagnostics, VariableArraysMessage)) {
    std::optional<Rewriting> rewriting = rewrite(source, length, rewritings.size() + 1);
    if (!rewriting)
      return {};
    rewritings.push_back(*rewriting);
  }
  return rewritings;
}

} // namespace heddle::tool
