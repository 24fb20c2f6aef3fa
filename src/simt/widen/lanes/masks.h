// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/emitter.h"
#include "simt/widen/lanes/lanes.h"

#include "llvm/ADT/BitVector.h"

namespace heddle::simt {

/// The active lanes, and masks as numbers. A mask is a vector of bits; at width 1 a single bit.
class Masks {
public:
  explicit Masks(Emitter &emitter) : e_(emitter), builder_(emitter.builder) {}

  /// From here on these lanes are active, of the `possible` ones.
  void enter(llvm::Value *active, const llvm::BitVector &possible) {
    active_ = active;
    possible_ = &possible;
  }
  /// The same for some of them.
  void setActive(llvm::Value *active) { active_ = active; }

  llvm::Value *active() const { return active_; }
  /// Those that can come to the block being emitted at all.
  const llvm::BitVector &possible() const { return *possible_; }
  /// Those that the warp function was called for.
  llvm::Value *atEntry() const { return e_.warp.getArg(ContextParams); }
  llvm::Type *type() const { return atEntry()->getType(); }
  /// The active lanes with this condition.
  llvm::Value *activeWhere(llvm::Value *condition);
  /// Lane l of an i1 vector over `lanes` is set if a lane that it stands for is active.
  llvm::Value *activeIn(Lanes lanes);
  llvm::Value *lastActive();

  llvm::Value *any(llvm::Value *mask);
  llvm::Constant *of(const llvm::BitVector &lanes);
  /// Bit l of an integer of `width` bits is lane l of the mask; up to 32 lanes, as an i32.
  llvm::Value *integer(llvm::Value *mask);
  llvm::Value *bits(llvm::Value *mask);
  llvm::Value *fromBits(llvm::Value *bits);
  /// The same for each CUDA warp: an i32, or a vector of them.
  llvm::Value *warpBits(llvm::Value *mask);
  /// The number of the lowest lane whose bit is set.
  llvm::Value *lowest(llvm::Value *integer);
  /// The first CUDA warp with a bit in `integer`, numbered in the block: (warp, its bits).
  std::pair<llvm::Value *, llvm::Value *> reported(llvm::Value *integer);
  /// The bits of one CUDA warp, numbered as `reported` does.
  llvm::Value *bitsOfWarp(llvm::Value *integer, llvm::Value *number);

private:
  llvm::Value *anyIn(llvm::Value *mask, Lanes segments);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  llvm::Value *active_ = nullptr;
  const llvm::BitVector *possible_ = nullptr;
};

} // namespace heddle::simt
