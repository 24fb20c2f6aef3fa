// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/calls/check_calls.h"
#include "simt/widen/control/control_flow.h"

#include "llvm/Analysis/PostDominators.h"

namespace heddle::simt {

/// Whether all threads come to barriers and warp operations that should (sync_checks.cpp).
class SyncChecks {
public:
  SyncChecks(Emitter &, FlowFacts &, Masks &, LaneValues &, ControlFlow &, CheckCalls &);

  bool isOn() const { return isOn_; }
  /// In the entry block, and at the beginning of each other one.
  void begin();
  void enter(unsigned block);
  /// In front of a barrier of the block, the grid or a cluster.
  void atBarrier(llvm::CallInst &);
  /// In front of an operation with a member mask.
  void atWarpOperation(llvm::CallInst &);
  /// At a shuffle, whose lanes read from those that `source` says; in front of a store or an atomic
  /// operation (shuffle_checks.cpp).
  void atShuffle(llvm::CallInst &, llvm::Value *source);
  void atUse(llvm::Instruction &);
  /// In front of a change or a note of mbarriers; of a piece of a barrier; of a barrier with a number
  /// of threads (sync_steps.cpp).
  void atMbarrier(llvm::CallInst &);
  void atPiece(llvm::CallInst &);
  void atCount(llvm::CallInst &);
  /// Behind what a thread does with its asynchronous copies; for racecheck.
  void atAsyncCopy(llvm::CallInst &);

private:
  bool isCommon(const llvm::BasicBlock &) const;
  bool comesToBarrier(const llvm::BasicBlock &) const;
  bool comesToCommon(llvm::BasicBlock &, llvm::BasicBlock &) const;
  void number();
  llvm::Value *absentLanes(llvm::function_ref<bool(llvm::BasicBlock &)> isAbsentAt);
  llvm::Value *bits(llvm::Value *mask);
  llvm::Value *strayLanes(llvm::Value *, llvm::CallInst *&nearest);
  llvm::Instruction *parting();
  llvm::Constant *site(const llvm::Instruction &, SyncKind);
  llvm::Constant *branchSite();
  void tellStep(llvm::CallInst &, SyncStep, SyncKind, llvm::Value *object,
                llvm::ArrayRef<llvm::Value *> numbers);
  llvm::BasicBlock &block() const { return *facts_.order.blocks[current_]; }

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  FlowFacts &facts_;
  Masks &masks_;
  LaneValues &values_;
  ControlFlow &flow_;
  CheckCalls &calls_;
  bool isOn_;
  std::optional<llvm::PostDominatorTree> postDominators_;
  /// By its number: a barrier of the whole block, or a block with no such barrier behind it.
  std::vector<const llvm::Instruction *> numbered_;
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::Instruction *> places_;
  llvm::DenseMap<const llvm::BasicBlock *, llvm::AllocaInst *> visited_; ///< lanes, by place
  llvm::AllocaInst *memory_ = nullptr; ///< each lane's member mask
  llvm::AllocaInst *steps_ = nullptr;  ///< each lane's object and numbers
  /// Of what it does, or as a place.
  llvm::DenseMap<std::pair<const llvm::Instruction *, unsigned>, llvm::Constant *> sites_;
  /// By shuffle: lanes whose value stems from a thread that is not there.
  llvm::DenseMap<const llvm::Value *, llvm::AllocaInst *> strays_;
  unsigned current_ = 0;
};

} // namespace heddle::simt
