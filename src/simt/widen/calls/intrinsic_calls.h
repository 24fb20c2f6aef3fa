// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/lanes/lane_values.h"

namespace heddle::simt {

struct MathFunction;

/// Calls that each lane makes by itself: intrinsics that exist for vectors, mathematics, and scalar
/// functions lane by lane.
class IntrinsicCalls {
public:
  IntrinsicCalls(Emitter &emitter, LaneArrays &arrays, LaneValues &values, LaneLoops &loops)
      : e_(emitter), builder_(emitter.builder), arrays_(arrays), values_(values), loops_(loops) {}

  /// The intrinsic of the same name over vectors; operands that must stay scalar are uniform, or
  /// else each lane calls.
  llvm::Value *emitVector(llvm::CallInst &);
  /// SLEEF's functions.
  llvm::Value *emitMath(llvm::CallInst &);
  /// What is an instruction of the machine (native.h).
  llvm::Value *emitNative(llvm::CallInst &);
  /// The same scalar call for each active lane.
  llvm::Value *emitPerLane(llvm::CallInst &);

private:
  llvm::Value *emitScalar(llvm::CallInst &, llvm::ArrayRef<llvm::Value *> arguments);
  llvm::Value *callSleef(const MathFunction &, llvm::ArrayRef<llvm::Value *> arguments,
                         unsigned lanes);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
};

} // namespace heddle::simt
