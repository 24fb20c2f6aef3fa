// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_arrays.h"
#include "simt/widen/lanes/lanes.h"

namespace heddle::simt {

/// The thread function's values in the warp function: in which lanes each is kept, and how it comes
/// to others.
class LaneValues {
public:
  LaneValues(Emitter &emitter, LaneArrays &arrays)
      : e_(emitter), builder_(emitter.builder), arrays_(arrays) {}

  /// What is at hand in a block: kept forms, and values in other lanes than these.
  struct Local {
    llvm::DenseMap<llvm::Value *, llvm::Value *> kept;
    llvm::DenseMap<std::pair<llvm::Value *, unsigned>, llvm::Value *> inLanes;
  };
  void beginBlock() { local_ = Local(); }
  /// Around a branch: what is made behind it is not there after it.
  Local save() const { return local_; }
  void restore(Local local) { local_ = std::move(local); }

  Lanes lanesOf(const llvm::Value *) const; ///< those in which a value is kept
  Lanes allLanes() const { return {1, e_.width}; }
  llvm::Type *keptType(llvm::Value *v) const {
    return e_.vectorType(v->getType(), lanesOf(v).count);
  }
  llvm::Value *fetch(llvm::Value *); ///< as it is kept
  llvm::Value *at(llvm::Value *, Lanes);
  llvm::Value *scalar(llvm::Value *v) { return at(v, {1, 1}); }
  llvm::Value *vector(llvm::Value *v) { return at(v, allLanes()); }
  /// A uniform value as a scalar, any other as a vector: what a loop over lanes takes its operands
  /// from.
  llvm::Value *laneOperand(llvm::Value *v) {
    return e_.shapes.isUniform(v) ? scalar(v) : vector(v);
  }
  /// A pointer in one lane, the first of a segment.
  llvm::Value *pointerAt(llvm::Value *address, unsigned lane);
  /// A value that is kept as one scalar, in a lane known at run time.
  llvm::Value *scalarInLane(llvm::Value *inFirst, Shape, llvm::Value *lane);

  /// Records the kept form of an instruction, in a slot too if another block needs it.
  void define(llvm::Instruction &, llvm::Value *);
  /// Records a form in other lanes that has come of itself.
  void remember(llvm::Value *v, Lanes lanes, llvm::Value *form) {
    local_.inLanes[{v, keyOf(lanes)}] = form;
  }
  /// Can be used in the block being emitted.
  bool isAtHand(const llvm::Value *) const;

  llvm::Value *splat(llvm::Value *v) { return splat(v, e_.width); }
  llvm::Value *splat(llvm::Value *, unsigned count);
  llvm::Value *constantFor(llvm::Constant *, unsigned count);
  llvm::Value *laneNumbers(llvm::Type *element) { return laneNumbers(element, allLanes()); }
  llvm::Value *laneNumbers(llvm::Type *element, Lanes);

private:
  static unsigned keyOf(Lanes lanes) { return lanes.step << 16 | lanes.count; }
  llvm::Value *addOffsets(llvm::Value *vector, llvm::ArrayRef<int64_t> offsets, bool cannotCarry);
  llvm::Value *pick(llvm::Value *, llvm::ArrayRef<int> picks);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  LaneArrays &arrays_;
  llvm::DenseMap<llvm::Value *, llvm::AllocaInst *> slots_; ///< values used in other blocks
  Local local_;
};

} // namespace heddle::simt
