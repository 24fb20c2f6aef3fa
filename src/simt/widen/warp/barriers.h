// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/kernel_abi.h"
#include "simt/widen/calls/service_calls.h"
#include "simt/widen/control/control_flow.h"
#include "simt/widen/warp/sync_checks.h"

namespace heddle::simt {

/// Waiting for other programs (barriers.cpp).
class Barriers {
public:
  Barriers(Emitter &emitter, Masks &masks, LaneValues &values, ControlFlow &flow,
           ServiceCalls &services, SyncChecks &checks)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values), flow_(flow),
        services_(services), checks_(checks) {}

  /// __syncthreads and its relatives, of which some have a result.
  llvm::Value *emitBarrier(llvm::CallInst &);
  void emitGridBarrier(llvm::CallInst &);
  void emitArrive(llvm::CallInst &);
  /// Blocks of clusters run as programs that wait, also where they do not.
  void noteCluster();
  void emitArrivedWait(llvm::CallInst &);
  /// For the lanes of a CUDA warp that `members` has.
  void emitWarpWait(llvm::CallInst &, llvm::Value *members);
  /// Waits until all lanes of the CUDA warp that come here without waiting for others have. All of
  /// them, of `own` those of this program.
  llvm::Value *emitMeeting(llvm::CallInst &, llvm::Value *own);
  /// Others run in turn.
  void emitYield(llvm::CallInst &);
  void emitStatement(llvm::CallInst &);
  /// Counts that the warp has looked once more for what it waits for.
  void emitPoll();

private:
  struct Barrier {
    llvm::Value *id, *threads;
    bool arriveOnly;
  };
  void emitWait(llvm::CallInst &, WaitKind, Barrier, llvm::Value *members);
  void emitWait(llvm::CallInst &, WaitKind);
  void noteWait();
  unsigned meetings_ = 0; ///< emitted so far
  void suspendWarp();
  void checkConverged(llvm::CallInst &);
  llvm::Value *cellOf(llvm::Value *phase, size_t offset);
  llvm::Value *warpState();

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  ControlFlow &flow_;
  ServiceCalls &services_;
  SyncChecks &checks_;
  llvm::Value *warpState_ = nullptr;
};

} // namespace heddle::simt
