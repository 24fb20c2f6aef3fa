// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"
#include "simt/analysis/intrinsics.h"
#include "simt/widen/calls/check_calls.h"
#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Tells the device of what orders accesses of threads (CheckServices::ordered), for racecheck.
/// Nothing in other code. Barriers of the whole block are not told of: Block::phase counts them.
class SyncEvents {
public:
  SyncEvents(Emitter &emitter, Masks &masks, LaneValues &values, CheckCalls &calls)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values), calls_(calls) {}

  /// Around the code that a call is turned into.
  void emitBefore(llvm::CallInst &, CallKind);
  void emitBehind(llvm::CallInst &, CallKind);
  /// Behind a fence.
  void emitFence(llvm::Instruction &);

private:
  bool isOn() const { return calls_.isOn(CheckRaces); }
  void tell(OrderEvent, llvm::Value *detail, llvm::Value *more = nullptr);
  void tell(OrderEvent event) { tell(event, builder_.getInt32(0)); }
  void tellOfWarp(llvm::CallInst &, llvm::Value *mask);
  void emitBarrier(llvm::CallInst &, bool isBefore);
  void emitHappened(llvm::CallInst &);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  CheckCalls &calls_;
  llvm::AllocaInst *lanes_ = nullptr; ///< a number for each lane
};

} // namespace heddle::simt
