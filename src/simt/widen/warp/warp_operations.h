// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/warp/matches.h"

namespace heddle::simt {

/// Warp operations, and which of them and of barriers a call is (warp_operations.cpp).
class WarpOperations {
public:
  WarpOperations(Emitter &, Masks &, LaneArrays &, LaneValues &, LaneLoops &, ControlFlow &,
                 ServiceCalls &, SyncChecks &);

  llvm::Expected<llvm::Value *> emit(llvm::CallInst &, CallKind);

private:
  llvm::Value *emitThreadIndex(llvm::CallInst &);
  llvm::Value *emitShuffle(llvm::CallInst &);
  llvm::Value *broadcast(llvm::CallInst &, llvm::Value *values);
  llvm::Value *permuteWarps(llvm::Value *values, llvm::Value *index);
  std::pair<llvm::Value *, llvm::Value *> ballots(llvm::CallInst &, llvm::Value *members,
                                                  llvm::Value *predicate);
  llvm::Value *emitVote(llvm::CallInst &);
  llvm::Value *emitReduce(llvm::CallInst &);
  llvm::Value *ownLanes();
  llvm::Value *emitActiveMask(llvm::CallInst &);
  llvm::Value *inLanes(llvm::Value *perWarp, Lanes);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  SyncChecks &checks_;
  Barriers barriers_;
  WarpExchange exchange_;
  Matches matches_;
};

} // namespace heddle::simt
