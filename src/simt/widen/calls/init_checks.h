// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/calls/access_checks.h"
#include "simt/widen/lanes/lane_loops.h"

namespace heddle::simt {

/// Shadow memory of initcheck (heddle.shadow, heddle.uninitialized, heddle.shadow_copy).
class InitChecks {
public:
  InitChecks(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values,
             LaneLoops &loops, CheckCalls &calls, AccessChecks &accesses)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
        loops_(loops), calls_(calls), accesses_(accesses) {}

  llvm::Value *emitShadow(llvm::CallInst &);
  void emitUninitialized(llvm::CallInst &);
  void emitCopy(llvm::CallInst &);

private:
  llvm::AllocaInst *pointers();
  llvm::Value *ask(llvm::CallInst &, bool isRun);
  llvm::Value *orAsk(llvm::CallInst &, bool isRun, llvm::Value *isInside, llvm::Value *inside);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  CheckCalls &calls_;
  AccessChecks &accesses_;
  llvm::AllocaInst *pointers_ = nullptr; ///< one for each lane
};

} // namespace heddle::simt
