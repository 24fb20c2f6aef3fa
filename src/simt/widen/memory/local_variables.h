// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/emitter.h"
#include "simt/widen/lanes/lane_values.h"

namespace heddle::simt {

/// Per-thread memory: one array of the alloca's type, an element a lane (laneDistance).
class LocalVariables {
public:
  LocalVariables(Emitter &emitter, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), values_(values) {}

  llvm::Expected<llvm::Value *> emitAlloca(llvm::AllocaInst &);
  /// For -G: where the user's variables live from this instruction on.
  void emitVariables(llvm::Instruction &);

private:
  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  LaneValues &values_;
  llvm::DenseMap<llvm::AllocaInst *, llvm::AllocaInst *> allocas_;
};

} // namespace heddle::simt
