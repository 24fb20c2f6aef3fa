// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/thread_tables.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// An integer that counts up from `first`.
struct Coordinate {
  llvm::Value *value;
  int64_t first;
};

/// Numbers as a sum of multiples of the digits of coordinates.
struct DigitSum {
  struct Digit {
    unsigned coordinate, divisor, modulus; ///< coordinate / divisor % modulus; modulus 0: all of it
    int64_t factor;
  };
  int64_t first = 0;
  llvm::SmallVector<Digit, 4> digits;
  bool grows = true; ///< nothing in it is negative
};

/// The numbers of `table`, whose coordinates take so many values, the fastest first. Nothing if
/// they are no such sum.
///
///     0 0 8 8 16 16 24 24   ->   coordinate / 2 * 8
std::optional<DigitSum> findDigitSum(const ThreadTable &table, llvm::ArrayRef<unsigned> counts);

/// The sum as a value of `type`.
llvm::Value *emitSum(const DigitSum &, llvm::ArrayRef<Coordinate>, llvm::Type *type,
                     llvm::IRBuilder<> &);

} // namespace heddle::simt
