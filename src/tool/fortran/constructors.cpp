// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvfortran takes integers among the reals of an array constructor, and converts them to the first
// item's type:
//
//   [0.0, 0.0, -1]   ->  [real :: 0.0, 0.0, -1]
//
// The standard wants one type, and Flang 22 an explicit one. Constructors of literals get it;
// others need types of variables, which are not known here.
//
// It also takes reals as bounds of a constructor's loops, as in a DO statement, which converts
// them:
//
//   [(i, i = 1, middle)]   ->  [(i, i = 1, int(middle, 8))]
//
// The bounds are those that name a variable which the source declares real somewhere. In another
// procedure it may be an integer, and of 8 bytes, which int(, 8) changes none of.
#include "tool/fortran/statements.h"

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

namespace heddle::tool {

namespace {

/// The type of a literal real, or "integer"; none if the item is something else.
std::optional<std::string> typeOf(const std::string &item) {
  static const std::regex Integer(R"(\s*[+-]?\s*\d+\s*)");
  static const std::regex Real(R"(\s*[+-]?\s*(\d+\.\d*|\.\d+)([ed][+-]?\d+)?(_\w+)?\s*)",
                               std::regex::icase);
  std::smatch parts;
  if (std::regex_match(item, Integer))
    return "integer";
  if (!std::regex_match(item, parts, Real))
    return {};
  std::string exponent = parts[2], kind = parts[3];
  if (!kind.empty())
    return "real(" + kind.substr(1) + ")";
  return !exponent.empty() && (exponent[0] == 'd' || exponent[0] == 'D') ? "double precision"
                                                                         : "real";
}

/// What the constructor of these tokens begins with in front of its first item; empty if it stays
/// as it is.
std::string typeFor(std::string_view text, const Statement &s, size_t open, size_t close) {
  std::string first;
  bool hasInteger = false;
  size_t begin = s[open].end;
  for (size_t i = open + 1; i <= close; ++i) {
    if (i < close && s[i].text != ",")
      continue;
    std::optional<std::string> type = typeOf(std::string(text.substr(begin, s[i].begin - begin)));
    if (!type)
      return "";
    if (first.empty())
      first = *type;
    hasInteger |= *type == "integer";
    begin = s[i].end;
  }
  return hasInteger && first != "integer" ? first + " :: " : "";
}

/// Names that are declared with a type of reals.
std::set<std::string> findReals(const std::vector<Statement> &statements) {
  std::set<std::string> names;
  for (const Statement &s : statements) {
    if (s[0].text != "real" && s[0].text != "double")
      continue;
    int depth = 0;
    for (const Token &token : s) {
      depth += token.text == "(";
      depth -= token.text == ")";
      if (depth == 0 && isNameCharacter(token.text[0]))
        names.insert(token.text);
    }
  }
  return names;
}

bool opensConstructor(const Statement &s, size_t i) {
  return s[i].text == "[" || (s[i].text == "(" && i + 1 < s.size() && s[i + 1].text == "/");
}

bool closesConstructor(const Statement &s, size_t i) {
  return s[i].text == "]" || (s[i].text == ")" && s[i - 1].text == "/");
}

/// The comma or the parenthesis behind the expression that begins with this token.
size_t endOfExpression(const Statement &s, size_t i) {
  for (int depth = 0; i < s.size(); ++i) {
    if (depth == 0 && (s[i].text == "," || s[i].text == ")"))
      return i;
    depth += s[i].text == "(" || s[i].text == "[";
    depth -= s[i].text == ")" || s[i].text == "]";
  }
  return s.size();
}

/// Whether this comma is in front of a loop's control: ", name = first, last", which no list of
/// arguments has.
bool beginsControl(const Statement &s, size_t comma) {
  if (comma + 3 >= s.size() || s[comma].text != "," || s[comma + 2].text != "=")
    return false;
  size_t last = endOfExpression(s, comma + 3) + 1;
  return last + 1 < s.size() && s[last - 1].text == "," && s[last + 1].text != "=";
}

class Bounds {
public:
  Bounds(const std::set<std::string> &reals, std::vector<Edit> &edits)
      : reals_(reals), edits_(edits) {}

  void rewrite(const Statement &s) {
    int inside = 0;
    for (size_t i = 0; i < s.size(); ++i) {
      inside += opensConstructor(s, i);
      inside -= closesConstructor(s, i);
      if (inside > 0 && beginsControl(s, i))
        rewriteControl(s, i + 3);
    }
  }

private:
  void rewriteControl(const Statement &s, size_t begin) {
    while (begin < s.size()) {
      size_t end = endOfExpression(s, begin);
      bool hasReal = std::any_of(s.begin() + static_cast<ptrdiff_t>(begin),
                                 s.begin() + static_cast<ptrdiff_t>(end),
                                 [&](const Token &token) { return reals_.contains(token.text); });
      if (hasReal) {
        edits_.push_back({s[begin].begin, s[begin].begin, "int("});
        edits_.push_back({s[end - 1].end, s[end - 1].end, ", 8)"});
      }
      if (end == s.size() || s[end].text == ")")
        return;
      begin = end + 1;
    }
  }

  const std::set<std::string> &reals_;
  std::vector<Edit> &edits_;
};

} // namespace

void rewriteConstructors(std::string_view text, const std::vector<Statement> &statements,
                         std::vector<Edit> &edits) {
  std::set<std::string> reals = findReals(statements);
  for (const Statement &s : statements)
    Bounds(reals, edits).rewrite(s);
  for (const Statement &s : statements)
    for (size_t open = 0; open < s.size(); ++open) {
      if (s[open].text != "[")
        continue;
      size_t close = open + 1;
      while (close < s.size() && s[close].text != "]" && s[close].text != "[")
        ++close;
      if (close == s.size() || s[close].text == "[")
        continue;
      if (std::string type = typeFor(text, s, open, close); !type.empty())
        edits.push_back({s[open].end, s[open].end, type});
    }
}

} // namespace heddle::tool
