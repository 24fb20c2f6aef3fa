// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// Not a bit of a byte.
bool wholeBytes(llvm::Type *);

/// Accesses whose addresses are neighbours, or the same, within segments of lanes; and those of
/// single lanes.
class SegmentAccesses {
public:
  SegmentAccesses(Emitter &emitter, Masks &masks, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values) {}

  /// Constant in segments: one element each, spread over the lanes where they are needed.
  llvm::Value *loadParts(llvm::LoadInst &);
  /// Contiguous in segments: one vector each, for one period.
  llvm::Value *loadRuns(llvm::LoadInst &);
  void storeRuns(llvm::Value *value, llvm::Value *address, llvm::Align, llvm::MDNode *stream);

  /// Of the values that are kept in this shape: those of which one lane may be active here, if they
  /// are so few that an access for each is best, else none.
  llvm::BitVector fewLanes(Shape all) const;
  llvm::Value *loadFew(llvm::LoadInst &, const llvm::BitVector &few);
  /// The elements that may be active, one by one.
  void storeLanes(llvm::Value *value, llvm::Value *address, llvm::Align, const llvm::BitVector &);

private:
  llvm::BitVector possibleLanes(Shape all) const;
  llvm::Value *loadLane(llvm::LoadInst &, unsigned lane, llvm::Value *mask);
  llvm::Value *loadRun(llvm::LoadInst &, unsigned lane, llvm::Value *mask);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
};

} // namespace heddle::simt
