// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/fortran/statements.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace heddle::tool {

namespace {

class Scanner {
public:
  /// `fixedLength`: where lines of a source of fixed form end; 0 in free form.
  Scanner(std::string_view text, size_t fixedLength)
      : text_(text), fixedLength_(fixedLength), end_(text.size()) {}

  std::vector<Statement> scan() {
    while (at_ < text_.size())
      if (fixedLength_ == 0)
        step();
      else
        fixedLine();
    endStatement();
    return std::move(statements_);
  }

private:
  /// What stands behind the end of a line of fixed form is no code.
  char peek(size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\n'; }

  bool startsLine() const {
    size_t before = text_.find_last_not_of(" \t", at_ == 0 ? 0 : at_ - 1);
    return at_ == 0 || before == std::string_view::npos || text_[before] == '\n';
  }

  void skipLine() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  /// A line of fixed form: what is not blank in its sixth column says that it continues the last
  /// one.
  void fixedLine() {
    size_t begin = at_, next = std::min(text_.find('\n', at_), text_.size());
    constexpr size_t Label = 6;
    bool isCode = isCufCode();
    if (!isCode && std::string_view("cCdD*!#").find(peek()) != std::string_view::npos) {
      fixedComment();
    } else if (next > begin) {
      char mark = next - begin >= Label ? text_[begin + Label - 1] : ' ';
      bool hasTab = text_.substr(begin, std::min(Label, next - begin)).find('\t') !=
                    std::string_view::npos; // no columns then, nor continuation
      if (hasTab || mark == ' ' || mark == '0')
        endStatement();
      at_ = hasTab ? text_.find('\t', begin) : std::min(begin + Label, next);
      end_ = std::min(begin + fixedLength_, next);
      if (open_ != 0)
        closeString(open_);
      size_t first = statement_.size();
      while (at_ < end_)
        step();
      joinName(first, cut_, begin + Label);
      cut_ = next >= begin + fixedLength_ ? end_ : 0;
      end_ = text_.size();
    }
    at_ = next + 1;
  }

  /// A name that the end of a line cuts goes on at the begin of the next. `second`: the number of
  /// the token that may be its second part.
  void joinName(size_t second, size_t end, size_t begin) {
    if (second == 0 || second >= statement_.size())
      return;
    Token &name = statement_[second - 1], &rest = statement_[second];
    if (name.end != end || rest.begin != begin || !isNameCharacter(name.text[0]) ||
        !isNameCharacter(rest.text[0]))
      return;
    name.text += rest.text;
    name.end = rest.end;
    statement_.erase(statement_.begin() + static_cast<ptrdiff_t>(second));
  }

  /// Lines with the sentinel !@cuf are code.
  bool isCufCode() const {
    std::string word(text_.substr(at_, 5));
    std::transform(word.begin(), word.end(), word.begin(), ::tolower);
    return word.size() == 5 && word.substr(1) == "@cuf" &&
           std::string_view("c*!").find(word[0]) != std::string_view::npos;
  }

  void fixedComment() {
    std::string word(text_.substr(at_, 5));
    std::transform(word.begin(), word.end(), word.begin(), ::tolower);
    if (word.size() < 5 || word.substr(1) != std::string_view(CufDirective).substr(1))
      return;
    endStatement();
    statements_.push_back({{CufDirective, at_, std::min(text_.find('\n', at_), text_.size())}});
  }

  void step() {
    char c = peek();
    if (c == '\n' || c == ';') {
      ++at_;
      endStatement();
    } else if (c == '!') {
      comment();
    } else if (c == '#' && startsLine()) {
      skipLine();
    } else if (c == '&') {
      continueLine();
    } else if (c == '\'' || c == '"') {
      string(c);
    } else if (isNameCharacter(c)) {
      size_t begin = at_;
      while (isNameCharacter(peek()))
        ++at_;
      add(begin);
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
    } else {
      size_t begin = at_;
      at_ += c == ':' && peek(1) == ':' ? 2 : 1;
      add(begin);
    }
  }

  /// Lines with the sentinel !@cuf are code.
  void comment() {
    std::string word(text_.substr(at_, 5));
    std::transform(word.begin(), word.end(), word.begin(), ::tolower);
    if (word == "!@cuf") {
      at_ += word.size();
      return;
    }
    size_t begin = at_;
    skipLine();
    if (word == CufDirective) {
      endStatement();
      statements_.push_back({{word, begin, at_}});
    }
  }

  /// From an ampersand to the text that goes on behind comments and the next line's ampersand.
  void continueLine() {
    size_t end = at_++;
    while (at_ < text_.size()) {
      char c = peek();
      if (c == '!' || (c == '#' && startsLine()))
        skipLine();
      else if (std::isspace(static_cast<unsigned char>(c)))
        ++at_;
      else
        break;
    }
    if (peek() != '&')
      return;
    size_t begin = ++at_, second = statement_.size();
    if (isNameCharacter(peek())) {
      step();
      joinName(second, end, begin);
    }
  }

  /// A quote that is doubled begins another string behind this one, which makes no difference here.
  void string(char quote) {
    size_t begin = at_++;
    closeString(quote);
    statement_.push_back({"'", begin, at_});
  }

  /// In fixed form a string goes on in the next line.
  void closeString(char quote) {
    while (at_ < end_ && peek() != quote && peek() != '\n')
      ++at_;
    open_ = fixedLength_ != 0 && at_ == end_ ? quote : '\0';
    at_ = std::min(at_ + 1, end_);
  }

  void add(size_t begin) {
    std::string word(text_.substr(begin, at_ - begin));
    std::transform(word.begin(), word.end(), word.begin(), ::tolower);
    statement_.push_back({std::move(word), begin, at_});
  }

  void endStatement() {
    if (!statement_.empty())
      statements_.push_back(std::move(statement_));
    statement_.clear();
    open_ = '\0';
  }

  std::string_view text_;
  size_t fixedLength_, at_ = 0;
  size_t end_;       ///< of the text, or of a line of fixed form
  size_t cut_ = 0;   ///< where the end of the last line cut what stood there; 0 if it was shorter
  char open_ = '\0'; ///< the quote of a string that the end of a line cut
  Statement statement_;
  std::vector<Statement> statements_;
};

} // namespace

std::vector<Statement> scanFortran(std::string_view text, size_t fixedLength) {
  return Scanner(text, fixedLength).scan();
}

size_t endOfLine(std::string_view text, size_t place) {
  return std::min(text.find('\n', place), text.size());
}

void addLine(Source &source, size_t place, const std::string &line) {
  std::string_view before = source.text.substr(0, place);
  auto next = std::count(before.begin(), before.end(), '\n') + 2;
  source.edits.push_back(
      {place, place,
       "\n" + line + "\n# " + std::to_string(next) + " \"" + std::string(source.path) + "\""});
}

void addStatement(Source &source, size_t place, const std::string &statement) {
  if (source.fixedLength == 0)
    source.edits.push_back({place, place, "; " + statement});
  else
    addLine(source, endOfLine(source.text, place), "      " + statement);
}

size_t beginOfProcedure(const Statement &s) {
  size_t at = findOutside(
      s, [](const std::string &word) { return word == "subroutine" || word == "function"; });
  size_t stop = findOutside(s, [](const std::string &word) {
    return word == "=" || word == "::" || word == "end" || word == "call" || word == ",";
  });
  bool isNamed = at + 1 < s.size() && isNameCharacter(s[at + 1].text[0]);
  return isNamed && at < stop ? at : s.size();
}

bool endsProcedure(const Statement &s) {
  const std::string &word = s[0].text;
  if (word == "end")
    return s.size() == 1 || s[1].text == "subroutine" || s[1].text == "function" ||
           s[1].text == "procedure";
  return word == "endsubroutine" || word == "endfunction" || word == "endprocedure";
}

bool isDeviceCode(const Statement &s, size_t procedure) {
  for (size_t i = 0; i + 1 < procedure; ++i)
    if (s[i].text == "attributes")
      for (size_t k = i + 2; k < procedure && s[k].text != ")"; ++k)
        if (s[k].text == "device" || s[k].text == "global" || s[k].text == "grid_global")
          return true;
  return false;
}

} // namespace heddle::tool
