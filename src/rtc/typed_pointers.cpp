// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A star ends a type: `i32*`, `[4 x i8]*`, `{ i32, i8* }*`, `<{ i8 }>*`, `<4 x float>*`, `void (i32)*`,
// `%name*`, each with `addrspace(N)` before the star. So the tokens before a star are looked at from
// the back: brackets to their partners, in front of parentheses the type that a function returns. All
// of it is taken away for `ptr`. A function's type without a star stays, as calls have it. Each token
// is looked at a few times, for what is taken away is gone.
#include "rtc/typed_pointers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>
#include <vector>

using namespace llvm;

namespace heddle::rtc {

namespace {

struct Token {
  std::string blanks, text; ///< what stands before it, and itself
  std::string pointee;      ///< of "ptr": what it pointed to
};

class Rewriter {
public:
  explicit Rewriter(StringRef text) : rest_(text) {}

  std::string run() {
    while (readToken())
      place();
    std::string all;
    for (const Token &token : tokens_)
      all += token.blanks + token.text;
    return all + blanks_;
  }

private:
  /// The next token in next_, with blanks and comments before it in blanks_; false: there is none.
  bool readToken() {
    blanks_.clear();
    while (!rest_.empty() && (isSpace(rest_.front()) || rest_.front() == ';')) {
      const size_t length = rest_.front() == ';' ? std::min(rest_.find('\n'), rest_.size()) : 1;
      blanks_ += rest_.take_front(length);
      rest_ = rest_.drop_front(length);
    }
    if (rest_.empty())
      return false;
    const size_t length = lengthOfToken();
    next_ = {blanks_, rest_.take_front(length).str(), ""};
    rest_ = rest_.drop_front(length);
    blanks_.clear();
    return true;
  }

  static bool isWord(char c) { return isAlnum(c) || StringRef("-$._").contains(c); }

  size_t lengthOfToken() const {
    size_t at = StringRef("%@!#c").contains(rest_.front()) && rest_.size() > 1 ? 1 : 0;
    if (rest_.front() == 'c' && rest_[at] != '"') // c"text"
      at = 0;
    if (rest_[at] == '"') {
      const size_t end = rest_.find('"', at + 1);
      return end == StringRef::npos ? rest_.size() : end + 1;
    }
    size_t end = at;
    while (end < rest_.size() && isWord(rest_[end]))
      ++end;
    return std::max<size_t>(end, 1);
  }

  void place() {
    if (next_.text == "*" && !tokens_.empty() && takePointer())
      return;
    if ((next_.text == "byval" || next_.text == "sret" || next_.text == "inalloca") &&
        lastPointer_ && *lastPointer_ < tokens_.size() && !rest_.ltrim().starts_with("("))
      next_.text += "(" + tokens_[*lastPointer_].pointee + ")";
    if (next_.text == "variables" && rest_.starts_with(":")) // of DISubprogram, up to LLVM 7
      next_.text = "retainedNodes";
    tokens_.push_back(std::move(next_));
  }

  /// Replaces the type in front by `ptr`; false: there is none.
  bool takePointer() {
    size_t end = tokens_.size();
    std::string space;
    if (const size_t begin = beginOfSpace(end); begin != end) {
      space = " " + textOf(begin, end);
      end = begin;
    }
    const size_t begin = beginOfType(end);
    if (begin == end)
      return false;
    Token pointer = {tokens_[begin].blanks, "ptr" + space, textOf(begin, end)};
    tokens_.resize(begin);
    lastPointer_ = begin;
    tokens_.push_back(std::move(pointer));
    return true;
  }

  std::string textOf(size_t begin, size_t end) const {
    std::string text;
    for (size_t i = begin; i < end; ++i)
      text += (i == begin ? "" : tokens_[i].blanks) + tokens_[i].text;
    return text;
  }

  const std::string &before(size_t end) const { return tokens_[end - 1].text; }

  /// `addrspace(N)`.
  size_t beginOfSpace(size_t end) const {
    return end >= 4 && before(end) == ")" && tokens_[end - 3].text == "(" &&
                   tokens_[end - 4].text == "addrspace"
               ? end - 4
               : end;
  }

  /// Behind which the type that ends at `end` begins; `end`: none does.
  size_t beginOfType(size_t end) const {
    if (end == 0)
      return end;
    StringRef last = before(end);
    if (last == ")") { // a function: the type of its result stands before
      const size_t open = beginOfBrackets(end);
      const size_t begin = open == end ? open : beginOfType(open);
      return begin == open ? end : begin;
    }
    if (last == ">" || last == "]" || last == "}")
      return beginOfBrackets(end);
    const bool isNumbered = last.size() > 1 && last[0] == 'i' && all_of(last.drop_front(), isDigit);
    const bool isType = isNumbered || last.starts_with("%") || last.starts_with("ptr") ||
                        is_contained({"void", "half", "bfloat", "float", "double", "fp128",
                                      "x86_fp80", "metadata", "label", "opaque"},
                                     last);
    return isType ? end - 1 : end;
  }

  size_t beginOfBrackets(size_t end) const {
    int depth = 0;
    for (size_t at = end; at > 0; --at) {
      const std::string &text = before(at);
      if (text == ")" || text == "]" || text == "}" || text == ">")
        ++depth;
      else if (text == "(" || text == "[" || text == "{" || text == "<")
        --depth;
      if (depth == 0)
        return at - 1;
    }
    return end;
  }

  StringRef rest_;
  std::string blanks_;
  Token next_;
  std::vector<Token> tokens_;
  std::optional<size_t> lastPointer_;
};

} // namespace

std::string withoutPointerTypes(StringRef text) { return Rewriter(text).run(); }

} // namespace heddle::rtc
