// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/lexer.h"

#include "frontend/ptx/cursor.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <array>

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr auto IsWord = [] {
  std::array<bool, 256> is = {};
  for (unsigned c = 0; c < 128; ++c)
    is[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
            c == '_' || c == '$';
  return is;
}();

bool isWord(char c) { return IsWord[uint8_t(c)]; }

class Lexer {
public:
  explicit Lexer(StringRef text) : rest_(text) {}

  Expected<SmallVector<Token, 32>> run() {
    SmallVector<Token, 32> tokens;
    while (true) {
      if (Error error = skipBlanks())
        return std::move(error);
      if (rest_.empty())
        break;
      Expected<Token> token = next();
      if (!token)
        return token.takeError();
      tokens.push_back(*token);
    }
    tokens.push_back({});
    return tokens;
  }

private:
  Error skipBlanks() {
    while (true) {
      rest_ = rest_.drop_while(isSpace);
      if (rest_.starts_with("//") || rest_.starts_with("@@")) { // @@DWARF, of the first versions
        rest_ = rest_.drop_front(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        size_t end = rest_.find("*/", 2);
        if (end == StringRef::npos)
          return failAt(rest_.data(), "a comment without its end", /*isFatal=*/true);
        rest_ = rest_.drop_front(end + 2);
      } else {
        return Error::success();
      }
    }
  }

  Token take(Token::Kind kind, size_t length) {
    Token token{kind, rest_.take_front(length)};
    rest_ = rest_.drop_front(length);
    return token;
  }

  Expected<Token> next() {
    char c = rest_.front();
    if (isDigit(c))
      return number();
    if (c == '"') {
      size_t end = 1;
      while (end < rest_.size() && rest_[end] != '"')
        end += rest_[end] == '\\' ? 2 : 1;
      if (end >= rest_.size())
        return failAt(rest_.data(), "a string without its end", /*isFatal=*/true);
      return take(Token::String, end + 1);
    }
    bool isName = isAlpha(c) || c == '_' || c == '$' || c == '%' ||
                  (c == '.' && rest_.size() > 1 && isWord(rest_[1]));
    return isName ? take(Token::Name, nameLength()) : take(Token::Punctuation, 1);
  }

  /// Words with dots between them, and double colons within what a dot leads: ".L2::128B".
  size_t nameLength() const {
    auto wordEnd = [&](size_t at) {
      while (at < rest_.size() && isWord(rest_[at]))
        ++at;
      return at;
    };
    size_t end = wordEnd(1);
    bool isModifier = rest_.front() == '.';
    while (end + 1 < rest_.size()) {
      if (rest_[end] == '.' && isWord(rest_[end + 1])) {
        isModifier = true;
        end = wordEnd(end + 1);
      } else if (isModifier && rest_.substr(end).starts_with("::") && end + 2 < rest_.size() &&
                 isWord(rest_[end + 2])) {
        end = wordEnd(end + 2);
      } else {
        break;
      }
    }
    return end;
  }

  Expected<Token> number() {
    if (rest_.starts_with_insensitive("0f"))
      return floatBits(8);
    if (rest_.starts_with_insensitive("0d"))
      return floatBits(16);
    size_t end = rest_.find_if_not([](char c) { return isAlnum(c) || c == '.'; });
    StringRef text = rest_.take_front(end);
    bool isHex = text.starts_with_insensitive("0x");
    if (!isHex && text.find_first_of(".eE") != StringRef::npos)
      return decimalFloat();
    Token token = take(Token::Integer, text.size());
    if (text.consume_back_insensitive("u"))
      (void)0; // the type of the instruction decides
    Expected<uint64_t> bits = digitsOf(text);
    if (!bits)
      return bits.takeError();
    token.bits = *bits;
    return token;
  }

  /// 10, 0xa, 012, 0b1010; what has more than 64 bits wraps around as for ptxas.
  static Expected<uint64_t> digitsOf(StringRef text) {
    const StringRef whole = text;
    const unsigned radix = text.consume_front_insensitive("0x")     ? 16
                           : text.consume_front_insensitive("0b")   ? 2
                           : text.size() > 1 && text.front() == '0' ? 8
                                                                    : 10;
    uint64_t bits = 0;
    for (char c : text) {
      const unsigned digit = hexDigitValue(c);
      if (digit >= radix)
        return failAt(whole.data(), "'" + whole + "' is no number", /*isFatal=*/true);
      if ((radix == 10 || radix == 2) && bits * radix < bits)
        return failAt(whole.data(), "Constant overflow", /*isFatal=*/true);
      bits = bits * radix + digit;
    }
    if (text.empty())
      return failAt(whole.data(), "'" + whole + "' is no number", /*isFatal=*/true);
    return bits;
  }

  /// "0f" and 8 hexadecimal digits, "0d" and 16.
  Expected<Token> floatBits(size_t digits) {
    Token token = take(Token::Float, std::min(rest_.size(), digits + 2));
    uint64_t bits;
    if (token.text.size() != digits + 2 || token.text.drop_front(2).getAsInteger(16, bits))
      return failAt(token.text.data(), "'" + token.text + "' is no number", /*isFatal=*/true);
    token.isSingle = digits == 8;
    token.bits =
        token.isSingle ? bit_cast<uint64_t>(double(bit_cast<float>(uint32_t(bits)))) : bits;
    return token;
  }

  Expected<Token> decimalFloat() {
    size_t end = 0;
    for (; end < rest_.size(); ++end) {
      bool isSign = (rest_[end] == '-' || rest_[end] == '+') && toLower(rest_[end - 1]) == 'e';
      if (!isAlnum(rest_[end]) && rest_[end] != '.' && !isSign)
        break;
    }
    Token token = take(Token::Float, end);
    APFloat value(APFloat::IEEEdouble());
    Expected<APFloat::opStatus> status =
        value.convertFromString(token.text, APFloat::rmNearestTiesToEven);
    if (!status) {
      consumeError(status.takeError());
      return failAt(token.text.data(), "'" + token.text + "' is no number", /*isFatal=*/true);
    }
    token.bits = value.bitcastToAPInt().getZExtValue();
    return token;
  }

  StringRef rest_;
};

} // namespace

Expected<SmallVector<Token, 32>> tokenize(StringRef text) { return Lexer(text).run(); }

} // namespace heddle::frontend::ptx
