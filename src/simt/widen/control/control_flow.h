// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/flow_facts.h"
#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Which lanes wait at which block, and where the warp goes on (control_flow.cpp).
class ControlFlow {
public:
  ControlFlow(Emitter &, FlowFacts &, Masks &, LaneValues &);

  /// Begins the warp function: the lanes that it is called for wait at the first block.
  void begin();
  /// The builder stands where a block begins, and the lanes that wait there are active.
  void enter(unsigned block);
  llvm::Value *emitPhi(llvm::PHINode &);
  /// From the block that was entered on to the next one.
  llvm::Error emitTerminator();
  /// Where the warp function begins, behind its entry block.
  llvm::BasicBlock &first() const { return *heads_[0]; }

  /// Other lanes may wait elsewhere while the present block runs.
  bool mayHaveParted() const { return facts_.pending.at(current_).any(); }
  /// The lanes that have not come to the exit block.
  llvm::Value *live();
  /// The lanes that wait at a block.
  llvm::Value *waitingAt(unsigned block);
  /// The last divergent branch before the present block; null if there is none.
  llvm::Instruction *lastParting() const;

private:
  void takeMask();
  void clearJoins();
  void emitReturn(llvm::ReturnInst &);
  void emitJump(llvm::BasicBlock &to, llvm::Value *mask);
  void emitDivergentBranch(llvm::BranchInst &);
  void emitUniformBranch(llvm::BranchInst &);
  void emitEdge(llvm::BasicBlock &to, llvm::Value *mask);
  void emitDispatch(llvm::BitVector candidates, int certain);
  bool isCertain(unsigned next) const;
  llvm::Value *anyWaits(unsigned index);
  llvm::BasicBlock &block() const { return *facts_.order.blocks[current_]; }

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  FlowFacts &facts_;
  Masks &masks_;
  LaneValues &values_;
  std::vector<bool> wholeSubsets_;        ///< by block index (whole_subsets.h)
  std::vector<llvm::BasicBlock *> heads_; ///< by block index: where it begins in the warp function
  std::vector<llvm::AllocaInst *> maskSlots_; ///< by block index: the lanes that wait at it
  llvm::DenseMap<unsigned, llvm::AllocaInst *>
      activeSlots_; ///< the lanes of a block that another has the same lanes as
  llvm::DenseMap<llvm::PHINode *, llvm::AllocaInst *> phiSlots_; ///< what edges write for a phi
  unsigned current_ = 0;                                         ///< the block being emitted
};

} // namespace heddle::simt
