// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle::frontend::ptx {

/// Names have their dots: "add.u32", "%tid.x", ".reg", ".shared::cta".
struct Token {
  enum Kind { End, Name, Integer, Float, String, Punctuation };
  Kind kind = End;
  llvm::StringRef text;
  uint64_t bits = 0;     ///< of a number; a float's are those of a double
  bool isSingle = false; ///< a float written as the bits of one of 32 bits: 0f3f800000

  bool is(char c) const { return kind == Punctuation && text[0] == c; }
};

/// The tokens of `text`, with an End behind them (PTX ISA, "Source Format", "Constants"). They
/// refer to `text`.
llvm::Expected<llvm::SmallVector<Token, 32>> tokenize(llvm::StringRef text);

} // namespace heddle::frontend::ptx
