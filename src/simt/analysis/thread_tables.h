// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"

#include <array>
#include <memory>
#include <vector>

namespace heddle::simt {

/// A number for each thread of a block (x fastest), or for each thread and each value of a further
/// coordinate (the thread fastest). Numbers of fewer than 64 bits are sign extended.
using ThreadTable = std::vector<int64_t>;

/// The integer operation `opcode` on n-bit numbers, which are sign extended, as its result is.
/// Nothing where it is undefined or poison whatever its flags are, or is none of them.
std::optional<int64_t> foldIntegers(unsigned opcode, int64_t a, int64_t b, unsigned bits);

/// a + factor * b, thread by thread, modulo 2^64.
ThreadTable plusMultiple(ThreadTable a, const ThreadTable &b, int64_t factor);

/// What values are in each thread of a block of known shape, where they follow from constants and
/// the thread's index alone, by arithmetic, comparisons and choices.
class ThreadTables {
public:
  explicit ThreadTables(std::array<unsigned, 3> blockDim) : blockDim_(blockDim) {}

  unsigned threads() const { return blockDim_[0] * blockDim_[1] * blockDim_[2]; }

  /// Null if other things matter too. Stays where it is.
  const ThreadTable *of(llvm::Value *);

private:
  bool fill(llvm::Value &, ThreadTable &);
  bool fillIndex(const llvm::CallInst &, ThreadTable &);
  bool fillResult(llvm::Instruction &, llvm::ArrayRef<const ThreadTable *> operands, ThreadTable &);

  std::array<unsigned, 3> blockDim_;
  llvm::DenseMap<llvm::Value *, std::unique_ptr<ThreadTable>> tables_;
};

} // namespace heddle::simt
