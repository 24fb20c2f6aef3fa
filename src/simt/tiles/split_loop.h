// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::simt {

/// Of the condition of the branch at a loop's latch, or a copy of it: true if the loop goes on.
llvm::Value *staysIf(const llvm::Loop &, llvm::Value &condition, llvm::IRBuilder<> &);

/// A copy of a loop in front of it, which does rounds at the beginning. The loop is in simplified
/// and closed form and is left at its latch only.
///
///     before: br %choice, enter, rest
///     enter:  br header
///     header: ... the copy ...; latch: br %again, header, out
///     out:    br %goesOn, rest, join
///     rest:   the loop goes on, or does all rounds
///     join:   (behind the loop's exit)
///
/// The dominator tree and the loop info that the loop is from are out of date then.
class SplitLoop {
public:
  SplitLoop(llvm::Loop &, llvm::Value &enters);

  /// One turn of the copy becomes two rounds: `first` takes what the map has named, which names the
  /// second one's instructions from now on.
  void doubleRounds(llvm::ValueToValueMapTy &first);

  /// The copy's last branch, still on a copy of the loop's condition.
  llvm::BranchInst *end() const { return llvm::cast<llvm::BranchInst>(latch->getTerminator()); }
  /// What a phi of the loop's header would be in the round behind the copy's turn.
  llvm::Value *valueAtEnd(llvm::PHINode &) const;

  /// The copy goes on while `again`; behind it the loop does if `goesOn`. Both are known at its
  /// end.
  void finish(llvm::Value &again, llvm::Value &goesOn);

  /// In `out`: what a value had become when the copy was left.
  llvm::PHINode *leave(llvm::Value &);

  llvm::ValueToValueMapTy map; ///< from the loop to the copy's last round
  llvm::SmallVector<llvm::BasicBlock *, 8> blocks;
  llvm::BranchInst *choice;
  llvm::BasicBlock *before, *enter, *header, *latch, *out, *rest, *join;

private:
  llvm::Value *copyOf(llvm::Value *value) const {
    llvm::Value *copy = map.lookup(value);
    return copy ? copy : value;
  }

  llvm::Loop &loop_;
  llvm::BasicBlock *exit_;
};

} // namespace heddle::simt
