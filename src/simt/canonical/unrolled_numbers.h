// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"

namespace heddle::simt {

/// The values of a thread program that are known numbers for each thread in each round of a loop
/// that is unrolled, and all loops in it with it: of constants, the thread's index, and variables
/// of these loops that begin with such and are made of nothing else from round to round.
class UnrolledNumbers {
public:
  explicit UnrolledNumbers(const llvm::Loop &);

  /// It is such a number, and another one in each round of the loop.
  bool followsRound(const llvm::Value &value) { return of(value) & OfRound && isNumber(value); }

  /// Such a number that the round and the thread's index make by another operation than a sum, so
  /// that the round decides how the numbers of neighbouring threads lie to each other.
  bool dividesThreads(const llvm::Instruction &);

private:
  enum Parts : unsigned { OfRound = 1, OfThread = 2, Unknown = 4 };

  bool isNumber(const llvm::Value &value) { return !(of(value) & Unknown); }
  unsigned of(const llvm::Value &);
  unsigned ofOperands(const llvm::Instruction &);
  unsigned made(const llvm::Instruction &);

  const llvm::Loop &loop_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 8> headers_; ///< of the loop and of those in it
  llvm::DenseMap<const llvm::Value *, unsigned> parts_;
};

} // namespace heddle::simt
