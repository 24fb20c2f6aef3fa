// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// heddle.all: whether all lanes of the program are active and a condition holds in each, and
/// heddle.none (all_lanes.cpp).
class AllLanes {
public:
  AllLanes(Emitter &emitter, Masks &masks, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values) {}

  llvm::Value *emit(llvm::CallInst &);
  /// heddle.none: whether a condition holds in no lane, active or not.
  llvm::Value *emitNone(llvm::Value &condition) { return holdsEverywhere(&condition, false); }
  /// heddle.first: the value in the first active lane; where none is, any number.
  llvm::Value *emitFirst(llvm::Value &);

private:
  llvm::Value *holdsEverywhere(llvm::Value *condition, bool expected);
  llvm::Value *comparesEverywhere(llvm::ICmpInst &, bool expected);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
};

} // namespace heddle::simt
