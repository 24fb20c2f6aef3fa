// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/lexer.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle::frontend::ptx {

/// An error at a place in a text. A fatal one leaves the rest of the text unread.
class PlacedError : public llvm::ErrorInfo<PlacedError> {
public:
  static char ID;
  PlacedError(const char *at, std::string message, bool isFatal)
      : at(at), message(std::move(message)), isFatal(isFatal) {}
  void log(llvm::raw_ostream &stream) const override { stream << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const char *at; ///< null: the end of the text
  std::string message;
  bool isFatal;
};

inline llvm::Error failAt(const char *at, const llvm::Twine &message, bool isFatal = false) {
  return llvm::make_error<PlacedError>(at, message.str(), isFatal);
}

/// Goes over tokens, of which the last is an End that stays.
class Cursor {
public:
  explicit Cursor(llvm::ArrayRef<Token> tokens) : tokens_(tokens) {}

  const Token &now() const { return tokens_.front(); }
  /// The one behind.
  const Token &next() const { return tokens_[tokens_.size() > 1 ? 1 : 0]; }
  bool isAtEnd() const { return now().kind == Token::End; }
  Token take() {
    Token token = now();
    if (!isAtEnd())
      tokens_ = tokens_.drop_front();
    return token;
  }
  bool consume(char c) { return now().is(c) && (take(), true); }
  bool consume(llvm::StringRef name) {
    return now().kind == Token::Name && now().text == name && (take(), true);
  }
  llvm::Error expect(char c) {
    return consume(c) ? llvm::Error::success() : expected("'" + llvm::Twine(c) + "'");
  }
  llvm::Expected<llvm::StringRef> takeName(const llvm::Twine &what) {
    if (now().kind != Token::Name)
      return expected(what);
    return take().text;
  }
  llvm::Expected<uint64_t> takeInteger(const llvm::Twine &what) {
    if (now().kind != Token::Integer)
      return expected(what);
    return take().bits;
  }

  /// What errors name: the instruction or directive that is being read.
  void setSubject(llvm::StringRef subject) { subject_ = subject; }
  llvm::StringRef subject() const { return subject_; }
  /// "'add.u32': expected ',', found '%4'"
  llvm::Error expected(const llvm::Twine &what) const {
    std::string found = isAtEnd() ? "the end" : ("'" + now().text + "'").str();
    std::string where = subject_.empty() ? "" : ("'" + subject_ + "': ").str();
    return failAt(isAtEnd() ? nullptr : now().text.data(),
                  where + "expected " + what + ", found " + found, /*isFatal=*/true);
  }

private:
  llvm::ArrayRef<Token> tokens_;
  llvm::StringRef subject_;
};

} // namespace heddle::frontend::ptx
