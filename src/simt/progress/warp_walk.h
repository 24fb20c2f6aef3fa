// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/analysis/lane_subset.h"
#include "simt/analysis/pending.h"
#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// How a warp goes through a thread program, as widen.cpp makes it go, and which lanes are where.
struct WarpWalk : LoopFacts, LaneShapes {
  WarpWalk(llvm::Function &, const Options &);

  BlockOrder walkOrder;    ///< in which it takes the blocks
  LaneSubsets threads;     ///< of the whole block, by thread, that may come to each basic block
  std::vector<bool> alone; ///< blocks that at most one lane of a warp comes to at a time
  PendingBlocks pending;   ///< where lanes wait while others are in a block
  std::vector<unsigned> sameMasks; ///< same_mask.h

  /// Lanes may part at the end of the block.
  bool isDivergent(const llvm::BasicBlock *block) const {
    return shapes.isDivergent(block) && !alone[walkOrder.index(block)];
  }
  /// Lanes that have not ended may be elsewhere while others are in the block.
  bool lanesAreElsewhere(unsigned index) const;

  /// By their numbers, one lane at most of each warp may come to `block`, and no other one to
  /// `other`.
  bool isForSameLane(const llvm::BasicBlock *block, const llvm::BasicBlock *other) const;

  /// Lanes of a program that is no more than a warp.
  static unsigned widthFor(const Options &);

private:
  std::vector<bool> findAlone();
  bool picksOneLane(const llvm::Value *condition, bool holds) const;
};

} // namespace heddle::simt
