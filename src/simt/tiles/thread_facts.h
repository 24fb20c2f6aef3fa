// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/thread_sums.h"

#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// What a comparison says of a thread: a sum that is at least 0, or is not 0.
struct ThreadFact {
  ThreadSum sum;
  bool isNonZero = false; ///< else at least 0
};

/// What is known in a block of a thread program, or must be so that a thread comes there.
struct BlockFacts {
  llvm::BitVector threads; ///< those of the block whose index allows it
  std::vector<ThreadFact> facts;
};

/// Conditions of branches, as facts about threads (propagate_halo_copies.cpp).
class ThreadConditions {
public:
  ThreadConditions(ThreadSums &sums, ThreadTables &tables, const llvm::DominatorTree &dominators,
                   const llvm::PostDominatorTree &postDominators)
      : sums_(sums), tables_(tables), dominators_(dominators), postDominators_(postDominators) {}

  /// What holds for all threads that come to `block`. Conditions of other kinds are left out.
  BlockFacts knownIn(llvm::BasicBlock &block);

  /// What all threads for which it holds come to `block` by; nothing if that is not told by
  /// comparisons of sums alone.
  std::optional<BlockFacts> enoughFor(llvm::BasicBlock &block);

  /// `fact` holds in thread `one` if all of `facts` do in thread `two`.
  bool follows(const ThreadFact &fact, unsigned one, llvm::ArrayRef<ThreadFact> facts,
               unsigned two) const;

private:
  bool addCondition(llvm::Value &, bool isTrue, BlockFacts &);
  bool addComparison(llvm::ICmpInst &, bool isTrue, BlockFacts &);
  BlockFacts nothing() const { return {llvm::BitVector(tables_.threads(), true), {}}; }

  ThreadSums &sums_;
  ThreadTables &tables_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &postDominators_;
};

} // namespace heddle::simt
