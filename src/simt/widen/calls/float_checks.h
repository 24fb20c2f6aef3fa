// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/calls/check_calls.h"
#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Looks at results of floating-point operations (heddle.float, lower/float_checks.h).
class FloatChecks {
public:
  FloatChecks(Emitter &emitter, Masks &masks, LaneValues &values, CheckCalls &calls)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values), calls_(calls) {}

  /// The value that is looked at.
  llvm::Value *emit(llvm::CallInst &);

private:
  llvm::Value *isNoNumber(llvm::Value *);
  llvm::Value *mayBeBad(llvm::CallInst &, Lanes, llvm::Value *result);
  llvm::Value *losesDigits(llvm::CallInst &, Lanes, llvm::Value *result);
  llvm::Value *isBad(llvm::CallInst &, Lanes, llvm::Value *suspects);
  void tell(llvm::CallInst &, Lanes, llvm::Value *suspects);
  llvm::Constant *site(llvm::CallInst &);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  CheckCalls &calls_;
  llvm::AllocaInst *memory_ = nullptr; ///< result and operands
};

} // namespace heddle::simt
