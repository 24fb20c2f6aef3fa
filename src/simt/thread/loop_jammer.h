// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// A loop around an innermost loop of one block, and straight code beside it.
struct LoopNest {
  using Blocks = llvm::SmallVector<llvm::BasicBlock *, 4>;

  llvm::Loop *outer, *inner;
  Blocks before, behind;         ///< in their order, without the inner loop
  llvm::Value *goesIn = nullptr; ///< decides that the inner loop runs, if anything
  bool goesInIfTrue = true;

  unsigned rounds = 0; ///< at once
  llvm::Value *length; ///< of the outer loop, in its preheader; 0 stands for more than fit
  bool isLengthKnown;
  /// What of the loops is the same in all rounds.
  llvm::SmallPtrSet<const llvm::Value *, 32> shared;
  /// The outer loop's phis that count rounds.
  llvm::SmallDenseMap<const llvm::PHINode *, llvm::APInt> steps;
};

/// Makes a jammed loop in front of a nest (unroll_and_jam.cpp), for as many rounds as it takes at
/// once.
class LoopJammer {
public:
  explicit LoopJammer(const LoopNest &nest)
      : nest_(nest), header_(*nest.outer->getHeader()), turn_(*nest.inner->getHeader()),
        preheader_(nest.outer->getLoopPreheader()), copies_(nest.rounds) {}

  /// How many rounds are left to the original loop.
  llvm::Value *run();

private:
  llvm::BasicBlock *newBlock(const llvm::Twine &name) {
    return llvm::BasicBlock::Create(header_.getContext(), name, header_.getParent(), &header_);
  }
  llvm::Value *in(unsigned round, llvm::Value *value) const;
  /// A phi's value from round to round.
  llvm::Value *handedOn(unsigned round, const llvm::PHINode &phi) const {
    return in(round, phi.getIncomingValueForBlock(nest_.outer->getLoopLatch()));
  }
  void startRounds();
  void copy(llvm::Instruction &, unsigned round, llvm::BasicBlock *to);
  void copyBefore();
  void copyTurn();
  void copyBehind();
  llvm::Value *leave();

  const LoopNest &nest_;
  llvm::BasicBlock &header_, &turn_; ///< of the original loops
  llvm::BasicBlock *preheader_;
  llvm::BasicBlock *first_, *jammed_, *last_, *done_, *rest_;
  llvm::Value *times_;   ///< how often the jammed loop runs
  llvm::PHINode *count_; ///< how often it has
  /// The outer loop's phis, and theirs in the jammed one.
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>, 4> phis_;
  /// What stands for the loops' values in each round.
  llvm::SmallVector<llvm::DenseMap<const llvm::Value *, llvm::Value *>, 16> copies_;
};

} // namespace heddle::simt
