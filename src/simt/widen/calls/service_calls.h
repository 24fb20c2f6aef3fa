// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/intrinsics.h"
#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/lanes/lane_values.h"

namespace heddle::simt {

/// And sleep is none.
inline bool readsClock(const llvm::CallInst &call) { return !call.getType()->isVoidTy(); }

/// Calls of the runtime's services (base/abi/kernel_abi.h).
class ServiceCalls {
public:
  ServiceCalls(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values,
               LaneLoops &loops)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
        loops_(loops) {}

  /// The function pointer of a service (offset in Services).
  llvm::Value *service(size_t offset);
  /// Where the user's code is, for reports.
  llvm::Value *sourceLoc(llvm::Instruction &);

  /// For each lane, or once for a report.
  llvm::Value *emitService(llvm::CallInst &, CallKind);
  /// Clocks and sleep: once for the warp.
  llvm::Value *emitClock(llvm::CallInst &);
  /// Where the address of an active lane is misaligned, the launch ends.
  void emitAlignmentCheck(llvm::CallInst &);
  /// Of an operand: what it is in the first active lane.
  llvm::Value *inFirstActive(llvm::Value *);

private:
  llvm::Value *callPerLane(size_t offset, llvm::FunctionType *,
                           llvm::ArrayRef<llvm::Value *> before,
                           llvm::ArrayRef<llvm::Value *> operands,
                           llvm::ArrayRef<llvm::Value *> after = {});
  void emitPair(llvm::CallInst &, CallKind);
  void emitReport(llvm::CallInst &, CallKind);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
};

} // namespace heddle::simt
