// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

#include <array>
#include <optional>
#include <vector>

namespace heddle::simt {

/// A number for each thread of a block (x fastest), or for each thread and each value of a further
/// coordinate (the thread fastest). Numbers of fewer than 64 bits are sign extended.
using ThreadTable = std::vector<int64_t>;

/// What values are in each thread of a block of known shape, where they follow from constants and
/// the thread's index alone.
class ThreadTables {
public:
  explicit ThreadTables(std::array<unsigned, 3> blockDim) : blockDim_(blockDim) {}

  unsigned threads() const { return blockDim_[0] * blockDim_[1] * blockDim_[2]; }

  /// Null if other things matter too.
  const ThreadTable *of(llvm::Value *);

private:
  bool fill(llvm::Value &, ThreadTable &);

  std::array<unsigned, 3> blockDim_;
  llvm::DenseMap<llvm::Value *, std::optional<ThreadTable>> tables_;
};

class Shapes;

/// How much more a value is in one thread than in another one at the same time, for pairs of
/// threads of a block. Modulo 2^n where it is computed with n bits, so the extension of what differs
/// is opaque: extend_terms.cpp has extended the terms where that is the same.
class ThreadDifferences {
public:
  ThreadDifferences(ThreadTables &tables, const Shapes &ofBlock, llvm::ArrayRef<unsigned> from,
                    llvm::ArrayRef<unsigned> to)
      : tables_(tables), shapes_(ofBlock), from_(from), to_(to) {}

  /// A number for each pair; nothing if they are not known.
  std::optional<ThreadTable> of(llvm::Value &);

private:
  std::optional<ThreadTable> compute(llvm::Value &);
  std::optional<ThreadTable> ofAddress(llvm::GetElementPtrInst &);

  ThreadTables &tables_;
  const Shapes &shapes_;
  llvm::ArrayRef<unsigned> from_, to_;
  llvm::DenseMap<llvm::Value *, std::optional<ThreadTable>> known_;
};

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
