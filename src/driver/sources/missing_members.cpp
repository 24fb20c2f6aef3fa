// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang's message has the place of the name. The object in front of it
//     this->name      (*this).name      a.b[i].name
// becomes one whose type clang does not know before the template is instantiated, for that is what
// a builtin function returns for an argument that depends on a parameter:
//     __builtin_addressof(*(this))->name      __builtin_addressof(a.b[i])->name
// Lines stay what they are.
#include "driver/sources/missing_members.h"
#include "driver/sources/source_text.h"

namespace heddle::driver {

namespace {

const std::string Builtin = "__builtin_addressof(";

/// The place behind the last character before `at` that is no white space.
size_t behindLast(std::string_view s, size_t at) {
  return lastBefore(s, at) + 1; // npos + 1 is 0
}

/// The place of the bracket that the one at `close` closes; npos if there is none.
size_t openingOf(std::string_view s, size_t close) {
  int depth = 0;
  for (size_t at = close + 1; at-- > 0;) {
    depth += s[at] == ')' || s[at] == ']';
    depth -= s[at] == '(' || s[at] == '[';
    if (depth == 0)
      return at;
  }
  return s.npos;
}

/// The begin of the operand of `.` or `->` that ends at `end`: names, calls and subscripts, with
/// members of them; npos if there is none.
size_t operandBegin(std::string_view s, size_t end) {
  size_t at = end;
  while (at > 0 && (s[at - 1] == ')' || s[at - 1] == ']')) {
    size_t open = openingOf(s, at - 1);
    if (open == s.npos)
      return open;
    at = open;
  }
  size_t name = at;
  while (name > 0 && isNameCharacter(s[name - 1]))
    --name;
  if (name == at)
    return at == end ? s.npos : at;
  size_t before = behindLast(s, name);
  std::string_view front = s.substr(0, before);
  if (front.ends_with("->") || front.ends_with("::"))
    return operandBegin(s, behindLast(s, before - 2));
  return front.ends_with(".") ? operandBegin(s, behindLast(s, before - 1)) : name;
}

std::optional<Rewriting> rewrite(std::string_view s, size_t name) {
  size_t end = behindLast(s, name);
  bool isArrow = s.substr(0, end).ends_with("->");
  if (!isArrow && !s.substr(0, end).ends_with("."))
    return {};
  size_t sign = end - (isArrow ? 2 : 1);
  size_t begin = operandBegin(s, behindLast(s, sign));
  if (begin == s.npos)
    return {};
  std::string object(s.substr(begin, sign - begin)); // with what may end its lines
  if (!object.starts_with(Builtin))
    return Rewriting{begin, end, Builtin + (isArrow ? "*(" + object + ")" : object) + ")->"};
  object = object.substr(Builtin.size(), object.size() - Builtin.size() - 1);
  if (object.starts_with("*("))
    return Rewriting{begin, end, object.substr(2, object.size() - 3) + "->"};
  return Rewriting{begin, end, object + "."};
}

} // namespace

std::optional<std::string> delayMissingMembers(std::string_view source, std::string_view path,
                                           std::string_view diagnostics) {
  std::vector<Rewriting> rewritings;
  for (size_t name : placesOfError(source, path, diagnostics, MissingMemberMessage))
    if (std::optional<Rewriting> rewriting = rewrite(source, name))
      rewritings.push_back(*rewriting);
  return rewritings.empty() ? std::nullopt : rewritten(source, rewritings);
}

} // namespace heddle::driver
