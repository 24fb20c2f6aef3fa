// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_arrays.h"
#include "simt/widen/lanes/masks.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::simt {

/// Loops over the active lanes of a warp, for what has no vector form.
class LaneLoops {
public:
  LaneLoops(Emitter &emitter, Masks &masks, LaneArrays &arrays)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays) {}

  /// Makes the code for one lane, an i32. Its value, if it returns one, is the lane's result.
  using LaneBody = llvm::function_ref<llvm::Value *(llvm::Value *lane)>;
  /// Makes the code for several lanes, from the one that it is given on.
  using LanesBody = llvm::function_ref<void(llvm::Value *first)>;

  /// Runs `body` for each active lane, in lane order. Where it returns a value, the lanes' values
  /// are collected in a vector of `resultType`. With `unroll` > 1 there is a second form for a full
  /// mask, of that many lanes at a time; `body` makes its code for each and must not begin new
  /// blocks.
  llvm::Value *forEachLane(llvm::Type *resultType, LaneBody body, unsigned unroll = 1);
  /// The same without results; `several` is for `step` lanes, which divide the width.
  void forEachLane(LaneBody body, LanesBody several, unsigned step);
  /// Runs `body` for each active lane. Active lanes that are neighbours are counted through,
  /// without a look at the mask; where the mask is a constant, so are the loop's bounds.
  void forEachLaneInRange(llvm::function_ref<void(llvm::Value *lane)> body);

private:
  class Results;
  llvm::Value *run(Results &, LaneBody body, LanesBody several, unsigned step);
  void emitDense(LanesBody several, unsigned step, llvm::BasicBlock *done);
  void emitSparse(Results &, LaneBody body, llvm::AllocaInst *rest, llvm::BasicBlock *done);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  unsigned unrolled_ = 0; ///< instructions
};

} // namespace heddle::simt
