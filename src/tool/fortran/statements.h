// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/source/source_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// The statement that stands for the directive of a CUF loop.
inline constexpr const char *CufDirective = "!$cuf";

struct Token {
  std::string text; ///< in lower case; strings are one quote
  size_t begin, end;
};
using Statement = std::vector<Token>;

/// Splits a source into statements. Comments are left out, but for directives of CUF loops.
/// `fixedLength`: where lines of a source of fixed form end; 0 for free form.
std::vector<Statement> scanFortran(std::string_view text, size_t fixedLength);

/// A change of a source's text.
struct Edit {
  size_t begin, end;
  std::string text;
};

size_t endOfLine(std::string_view text, size_t place);

/// A source of which parts are changed.
struct Source {
  std::string_view text, path;
  size_t fixedLength; ///< where lines end; 0 in free form
  std::vector<Statement> statements;
  std::vector<Edit> edits;
};

/// Adds a line behind the one that ends at `place`. Lines behind it keep their numbers.
void addLine(Source &, size_t place, const std::string &line);
/// Adds a statement behind the one that ends at `place`.
void addStatement(Source &, size_t place, const std::string &statement);

/// The first token outside of parentheses that `isIt` is true of; the statement's size if there is
/// none.
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

/// The place of the word subroutine or function in a statement that begins a procedure; else the
/// statement's size.
size_t beginOfProcedure(const Statement &);
bool endsProcedure(const Statement &);
/// Whether the words in front of the procedure's name say that it is device code.
bool isDeviceCode(const Statement &, size_t procedure);

/// Puts into device procedures what they need beside their own statements.
void rewriteDeviceProcedures(Source &);

/// Gives directives of PGI's the spelling that Flang has.
void rewriteDirectives(Source &);

/// Gives array constructors of real and integer literals the type of their first item, and their
/// loops integer bounds.
void rewriteConstructors(std::string_view text, const std::vector<Statement> &,
                         std::vector<Edit> &);

} // namespace heddle::tool
