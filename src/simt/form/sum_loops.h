// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/form/order_free.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// What a loop carries and adds to in each round.
struct Sum {
  llvm::PHINode *phi;
  llvm::SmallVector<llvm::Instruction *, 2> additions; ///< the last one's value is handed on
  Operation operation;

  llvm::Instruction *last() const { return additions.back(); }

  /// What an addition adds to the sum so far, or takes from it: a number, or a product's factors.
  llvm::SmallVector<llvm::Value *, 2> addends(unsigned addition) const;
};

/// A loop of sums that can go on vectors along its rounds (jit/vectorize_reductions.h), and is
/// worth it.
class SumLoop {
public:
  static constexpr unsigned Lanes = 8, Parts = 2; ///< of one turn
  static constexpr unsigned Turn = Lanes * Parts; ///< rounds
  static constexpr unsigned FewestWholeTurns = 4; ///< else the last rounds are all

  /// `gathersWords`: masked gathers become AVX2's instruction where LLVM makes none.
  SumLoop(llvm::Loop &loop, llvm::ScalarEvolution &evolution, const llvm::TargetMachine &machine,
          bool gathersWords)
      : loop_(loop), body_(*loop.getHeader()), evolution_(evolution), machine_(machine),
        target_(machine.getTargetTransformInfo(*body_.getParent())), gathersWords_(gathersWords) {
    isFound_ = canTake() && isWorthIt();
  }

  /// It is one; else nothing else may be asked.
  bool isFound() const { return isFound_; }

  llvm::ArrayRef<Sum> sums() const { return sums_; }

  /// Of a loop that may be long, the rounds that go together while there are so many: a whole
  /// register of the narrowest numbers. None where gathers take most of the time.
  unsigned lanesOfWholeTurns() const;

  /// Loads from where the last round did and one on. Others of the loop are gathers.
  bool isSideBySide(const llvm::LoadInst &) const;

  /// How a counter or an address goes on from round to round; null if not by the same distance.
  const llvm::SCEVAddRecExpr *walkOf(llvm::Value *) const;

private:
  bool canTake();
  bool isWorthIt() const;
  bool findSums();
  bool canWiden(llvm::Value *);
  bool canLoad(const llvm::LoadInst &);
  bool isWantedBehind(const llvm::Instruction &) const;
  bool canExpand(const llvm::SCEV *) const;

  llvm::Loop &loop_;
  llvm::BasicBlock &body_;
  llvm::ScalarEvolution &evolution_;
  const llvm::TargetMachine &machine_;
  llvm::TargetTransformInfo target_;
  bool gathersWords_, isFound_;

  llvm::SmallVector<Sum, 2> sums_;
  llvm::SmallPtrSet<llvm::Value *, 16> known_; ///< that can be widened
  unsigned sideBySide_ = 0, gathers_ = 0;
  unsigned narrowest_ = 64; ///< bits of what is loaded side by side
};

} // namespace heddle::simt
