// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/sources/source_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::driver {

/// The statement that stands for the directive of a CUF loop.
inline constexpr const char *CufDirective = "!$cuf";

struct Token {
  std::string text; ///< in lower case; strings are one quote
  size_t begin, end;
};
using Statement = std::vector<Token>;

/// Splits a source of free form into statements. Comments are left out, but for directives of CUF loops.
std::vector<Statement> scanFortran(std::string_view text);

/// A change of a source's text.
struct Edit {
  size_t begin, end;
  std::string text;
};

/// The first token outside of parentheses that `isIt` is true of; the statement's size if there is none.
template <typename F> size_t findOutside(const Statement &s, F isIt) {
  int depth = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    depth += s[i].text == "(";
    depth -= s[i].text == ")";
    if (depth == 0 && isIt(s[i].text))
      return i;
  }
  return s.size();
}

/// The place of the word subroutine or function in a statement that begins a procedure; else the statement's size.
size_t beginOfProcedure(const Statement &);
bool endsProcedure(const Statement &);
/// Whether the words in front of the procedure's name say that it is device code.
bool isDeviceCode(const Statement &, size_t procedure);

/// Puts into device procedures what they need beside their own statements.
void rewriteDeviceProcedures(std::string_view text, std::string_view path,
                             const std::vector<Statement> &, std::vector<Edit> &);

/// Gives array constructors of real and integer literals the type of their first item.
void rewriteConstructors(std::string_view text, const std::vector<Statement> &,
                         std::vector<Edit> &);

} // namespace heddle::driver
