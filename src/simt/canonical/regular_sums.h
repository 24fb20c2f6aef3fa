// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/analysis/thread_tables.h"
#include "simt/simt.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

inline constexpr unsigned DeepestSum = 12; ///< operations that are looked through

/// A variable of a loop that counts from `start` on by steps that have nothing of the thread's
/// index in them.
struct Counter {
  llvm::Value *start = nullptr;
  unsigned fromStart = 0; ///< the incoming edge
  llvm::BinaryOperator *next = nullptr;
  explicit operator bool() const { return next; }
};

/// Which sums of a thread program go regularly over the threads of the block.
class RegularSums {
public:
  RegularSums(llvm::Function &thread, const Options &options)
      : thread_(thread), options_(options), tables_(options.blockDim) {}

  ThreadTables &tables() { return tables_; }

  /// Known for each thread of the block, and not the same in all.
  bool isOfThreads(llvm::Value &);

  /// False if the value is no counter.
  Counter counterOf(llvm::Value &);

  /// A sum of what is known of the threads, which is in it, and of what may be the same in some of
  /// them: no element of an array is in it, which is another one in each.
  bool goesRegularly(llvm::Value &value) {
    bool hasThreads = false;
    return goesRegularly(value, hasThreads, DeepestSum) && hasThreads;
  }

  /// Between two sums, of which all threads of a row of the block choose the same.
  bool isChoiceOfRows(const llvm::SelectInst &);

private:
  bool goesRegularly(llvm::Value &, bool &hasThreads, unsigned depth);
  Shape inWarps(const llvm::Instruction &);

  llvm::Function &thread_;
  const Options &options_;
  ThreadTables tables_;
  std::optional<LoopFacts> facts_;
  std::optional<LaneShapes> lanes_;                  ///< of a warp, when they are first asked for
  llvm::SmallPtrSet<llvm::Instruction *, 8> looked_; ///< phis on the way
};

} // namespace heddle::simt
