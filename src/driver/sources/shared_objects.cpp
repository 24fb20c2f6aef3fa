// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's message has the place of the variable's name. The declaration around it
//     __shared__ alignas(16) cuda::barrier<S> a, b[2];
// becomes one of unions, whose empty constructors and destructors clang takes, and references to
// what they hold:
//     __shared__ alignas(16) ::__heddle_shared_object<cuda::barrier<S> > __heddle_shared_a;
//     auto &a = __heddle_shared_a.object; ...
// Lines stay what they are. Declarations whose __shared__ is not in front are not known.
#include "driver/sources/shared_objects.h"
#include "driver/sources/source_text.h"

#include <algorithm>
#include <cctype>

namespace heddle::driver {

namespace {

constexpr std::string_view Keyword = "__shared__";

std::string_view trimmed(std::string_view s) {
  size_t begin = s.find_first_not_of(" \t\n");
  size_t end = s.find_last_not_of(" \t\n");
  return begin == s.npos ? std::string_view() : s.substr(begin, end + 1 - begin);
}

/// The place behind specifiers that stay in front of the type: static, alignas(16) and its like.
size_t skipSpecifiers(std::string_view s, size_t at) {
  for (;;) {
    at = skipBlanks(s, at);
    size_t end = at;
    while (end < s.size() && isNameCharacter(s[end]))
      ++end;
    std::string_view word = s.substr(at, end - at);
    if (word == "static") {
      at = end;
    } else if (word == "alignas" || word == "__align__" || word == "__attribute__") {
      size_t open = skipBlanks(s, end);
      size_t behind = open < s.size() && s[open] == '(' ? behindClosing(s, open) : s.npos;
      if (behind == s.npos)
        return s.npos;
      at = behind;
    } else {
      return at;
    }
  }
}

/// A name and the brackets behind it; empty if it is anything else.
struct Declarator {
  std::string name, dimensions;
};

Declarator readDeclarator(std::string_view s) {
  s = trimmed(s);
  size_t end = 0;
  while (end < s.size() && isNameCharacter(s[end]))
    ++end;
  std::string_view rest = trimmed(s.substr(end));
  for (size_t at = 0; at < rest.size(); at = skipBlanks(rest, behindClosing(rest, at)))
    if (rest[at] != '[' || behindClosing(rest, at) == rest.npos)
      return {};
  return {std::string(s.substr(0, end)), std::string(rest)};
}

/// The declarators from `at` to the semicolon, whose place is returned; npos if one is not known.
size_t readDeclarators(std::string_view s, size_t at, std::vector<Declarator> &declarators) {
  for (size_t begin = at; at < s.size();) {
    if (s[at] == '[') {
      at = behindClosing(s, at);
      continue;
    }
    if (s[at] == ',' || s[at] == ';') {
      declarators.push_back(readDeclarator(s.substr(begin, at - begin)));
      if (declarators.back().name.empty())
        return s.npos;
      if (s[at] == ';')
        return at;
      begin = at + 1;
    }
    ++at;
  }
  return s.npos;
}

/// The declaration whose first name is at `name`.
std::optional<Rewriting> liftDeclaration(std::string_view s, size_t name) {
  size_t keyword = name == 0 ? s.npos : s.rfind(Keyword, name - 1);
  if (keyword == s.npos || s.substr(keyword, name - keyword).find(';') != s.npos)
    return {};
  size_t type = skipSpecifiers(s, keyword + Keyword.size());
  std::vector<Declarator> declarators;
  size_t end = type < name ? readDeclarators(s, name, declarators) : s.npos;
  if (end == s.npos)
    return {};
  std::string specifiers(s.substr(keyword, type - keyword)), text;
  for (const Declarator &d : declarators) {
    const std::string object = "__heddle_shared_" + d.name;
    text += specifiers + " ::__heddle_shared_object<" +
            std::string(trimmed(s.substr(type, name - type))) + d.dimensions + " > " + object +
            "; auto &" + d.name + " = " + object + ".object; ";
    std::replace(specifiers.begin(), specifiers.end(), '\n', ' ');
  }
  auto lines = [](std::string_view t) { return std::count(t.begin(), t.end(), '\n'); };
  const auto wanted = lines(s.substr(keyword, end - keyword));
  if (declarators.size() > 1) // the type's line ends stand once for each
    for (auto have = lines(text); have > wanted; --have)
      text[text.rfind('\n')] = ' ';
  return Rewriting{keyword, end + 1, text};
}

} // namespace

std::optional<std::vector<Rewriting>>
liftSharedObjects(std::string_view source, std::string_view path, std::string_view diagnostics) {
  std::vector<Rewriting> rewritings;
  for (size_t name : placesOfError(source, path, diagnostics, SharedObjectMessage)) {
    if (!rewritings.empty() && name < rewritings.back().end)
      continue; // another name of the same declaration
    std::optional<Rewriting> rewriting = liftDeclaration(source, name);
    if (!rewriting)
      return {};
    rewritings.push_back(*rewriting);
  }
  return rewritings;
}

} // namespace heddle::driver
