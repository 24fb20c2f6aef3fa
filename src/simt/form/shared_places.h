// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What accesses of shared memory cost that will be none. Where one program is the block and its
// barrier loops are unrolled, shared/promote_shared.cpp keeps shared memory in registers if the
// place of each access is a number for each thread; an access is then a shuffle, however irregular
// its places (`max(t - 4, 0)`), and what the places are computed of are constants. This asks the
// same of a thread program, before the form is chosen, and only where there are so few bytes that
// the registers hold them twice: with more of them that pass may leave them in memory.
//
// For comparisons of costs only: where the pass decides otherwise, a program is slower, not wrong.
#pragma once

#include "simt/analysis/thread_sums.h"
#include "simt/simt.h"

namespace heddle::simt {

class SharedPlaces {
public:
  /// Knows nothing where a program is not the whole block.
  SharedPlaces(llvm::Function &thread, const Shapes &, const Options &);

  /// Registers that one register each is put together from, all that the access has together;
  /// nothing if it will be an access of memory.
  std::optional<unsigned> shuffled(const llvm::Instruction &access) const;

  /// A number for each thread, which follows from the thread's index; asked where accesses do.
  bool isNumber(const llvm::Value &) const;

private:
  int64_t registerBytes_;
  mutable ThreadTables tables_;
  llvm::DenseMap<const llvm::Instruction *, ThreadTable> places_; ///< in bytes
};

} // namespace heddle::simt
