// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/intrinsics.h"
#include "simt/widen/calls/check_calls.h"
#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Checks of accesses in front of them (heddle.check, base/abi/check_abi.h).
class AccessChecks {
public:
  AccessChecks(Emitter &emitter, Masks &masks, LaneValues &values, CheckCalls &calls)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values), calls_(calls) {}

  /// Where the lanes may go.
  llvm::Value *emitCheck(llvm::CallInst &);
  void emitChecked(llvm::CallInst &);
  /// The AccessSite of a call with a CheckedSite.
  llvm::Constant *site(llvm::CallInst &);
  /// malloc and free, lane by lane.
  llvm::Value *emitHeap(llvm::CallInst &, LaneArrays &, LaneLoops &);

private:
  /// One call of heddle.check.
  struct Check {
    llvm::CallInst &call;
    llvm::Value *pointer, *length, *low, *bytes;
    uint64_t align;
    Shape shape;
    bool isOne; ///< all lanes have one address
    bool isRun; ///< they go on from the first lane's
  };
  Check describe(llvm::CallInst &) const;
  llvm::Value *isOutside(const Check &, llvm::Value *first, llvm::Value *last, llvm::Value *low);
  llvm::Value *mayBeOutside(const Check &);
  llvm::Value *suspects(const Check &);
  llvm::Value *scalarLow(const Check &);
  llvm::Value *vectorLow(const Check &);
  llvm::Value *ask(const Check &);
  llvm::Value *checkBounds(const Check &, llvm::Value *pointer);
  llvm::AllocaInst *memory();
  void tell(const Check &, llvm::Value *result);
  void tellAlways(const Check &, llvm::Value *result);
  llvm::Value *storedValues(llvm::CallInst &);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  CheckCalls &calls_;
  llvm::AllocaInst *memory_ = nullptr; ///< an AccessedMemory
  llvm::AllocaInst *stored_ = nullptr; ///< what lanes store
  llvm::DenseMap<llvm::CallInst *, llvm::Constant *> sites_;
  llvm::DenseMap<llvm::CallInst *, llvm::Value *> moved_; ///< of runs: whether their pointers have
};

} // namespace heddle::simt
