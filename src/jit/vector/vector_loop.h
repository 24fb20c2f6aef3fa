// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/form/sum_loops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::jit {

/// Makes the vector loops of a loop of sums: one of whole turns, without masks, where there may be
/// many rounds, and one of the last rounds. (vectorize_reductions.cpp has the method.)
class VectorLoop {
public:
  VectorLoop(const simt::SumLoop &facts, llvm::Loop &loop, llvm::ScalarEvolution &evolution)
      : facts_(facts), loop_(loop), preheader_(*loop.getLoopPreheader()), body_(*loop.getHeader()),
        evolution_(evolution), builder_(body_.getContext()) {}

  void take();

private:
  /// What one turn of a vector loop takes.
  struct Form {
    unsigned lanes, parts;
    bool isMasked; ///< rounds may end within a turn

    unsigned rounds() const { return lanes * parts; }
  };

  using Parts = llvm::SmallVector<llvm::Value *, simt::SumLoop::Parts>; ///< the vectors of a sum

  /// Where a loop stands: after a block, so many rounds are done, with the vectors of each sum.
  struct State {
    llvm::BasicBlock *after;
    llvm::Value *done;
    llvm::SmallVector<Parts, 2> sums;
  };

  static constexpr Form LastRounds = {simt::SumLoop::Lanes, simt::SumLoop::Parts, true};

  llvm::Instruction *before() const { return preheader_.getTerminator(); }
  llvm::BasicBlock *block(const char *name) const;
  llvm::FixedVectorType *vectorOf(llvm::Type *type) const {
    return llvm::FixedVectorType::get(type, form_.lanes);
  }
  llvm::Value *expand(const llvm::SCEV *);
  llvm::Constant *numbers(llvm::Type *) const;
  State begin(const Form &) const;
  State takeWholeTurns(const Form &, llvm::BasicBlock *last);
  State makeTurn(const Form &, llvm::BasicBlock *loop, llvm::ArrayRef<State> entries);
  void goRound(const State &turn, llvm::Value *goesOn, llvm::BasicBlock *end);
  Parts fold(const simt::Sum &, llvm::ArrayRef<llvm::Value *> vectors);
  void endSums(const State &);
  llvm::Value *widen(llvm::Value *);
  llvm::Value *widenCounter(const llvm::SCEVAddRecExpr &);
  llvm::Value *widenLoad(llvm::LoadInst &);
  llvm::Value *widenAddition(const simt::Sum &, unsigned addition, llvm::Value *sums);
  bool isZeroWhereIdle(llvm::Value *) const;
  void replaceLoop(llvm::BasicBlock &end);

  const simt::SumLoop &facts_;
  llvm::Loop &loop_;
  llvm::BasicBlock &preheader_, &body_;
  llvm::ScalarEvolution &evolution_;
  llvm::IRBuilder<> builder_;

  llvm::DenseMap<const llvm::SCEV *, llvm::Value *> expanded_;
  llvm::Value *rounds_ = nullptr;
  Form form_ = LastRounds;        ///< of the loop that is being made
  llvm::PHINode *done_ = nullptr; ///< rounds, before this turn
  unsigned part_ = 0;             ///< that is being made
  llvm::Value *mask_ = nullptr;   ///< of this part; null: all rounds are there
  llvm::DenseMap<llvm::Value *, llvm::Value *> widened_; ///< in this part
};

} // namespace heddle::jit
