// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle::frontend::ptx {

/// Why a text of PTX cannot be used, which decides the code that a program gets.
enum class Refusal { None, Invalid, Version };

/// The errors of one text of PTX, in the words of ptxas:
///
///     ptxas application ptx input, line 4; error   : Unknown symbol '%r1'
///     ptxas fatal   : Ptx assembly aborted due to errors
class Problems {
public:
  explicit Problems(llvm::StringRef text) : text_(text) {}

  /// Notes an error; `at` is its place, where the error itself has none. A fatal one ends the
  /// reading.
  void note(llvm::Error error, const char *at);
  void error(const char *at, const llvm::Twine &message, bool isFatal = false);
  /// An error of the whole text.
  void fatal(const llvm::Twine &message);
  void refuseVersion() { refusal_ = Refusal::Version; }

  bool any() const { return refusal_ != Refusal::None; }
  bool isFatal() const { return isFatal_; }
  Refusal refusal() const { return refusal_; }
  /// All of them, a line each, and the last line.
  std::string log() const;
  unsigned lineOf(const char *at) const;

private:
  static constexpr unsigned Most = 100;

  llvm::StringRef text_;
  std::string log_;
  unsigned count_ = 0;
  Refusal refusal_ = Refusal::None;
  bool isFatal_ = false, isWhole_ = false;
};

} // namespace heddle::frontend::ptx
