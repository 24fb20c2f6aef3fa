// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/order.h"
#include "simt/analysis/shapes.h"
#include "simt/analysis/thread_tables.h"

#include "llvm/ADT/BitVector.h"

namespace heddle::simt {

/// Where one lane in so many at most may be active, each makes its memory accesses by itself.
inline constexpr unsigned FewLanes = 8;

/// The lanes that may come to each block of a thread program, as far as branches on the thread's
/// index tell: what stands behind `if (threadIdx.x == 0)` in a block of 32x8 threads as 256 lanes
/// is for the lanes 0, 32, 64 and so on. An access by few lanes is made lane by lane.
///
/// A value is known in a lane if it is in the lane's threads (thread_tables.h), and the same in all
/// programs of the block.
class LaneSubsets {
public:
  LaneSubsets(const BlockOrder &, const LaneFacts &);

  /// By block index.
  const llvm::BitVector &at(unsigned index) const { return lanes_[index]; }

  /// Bytes from `base` to an address in these lanes, in order; empty: not known.
  llvm::SmallVector<int64_t, 0> offsetsFrom(const llvm::Value *base, llvm::Value *address,
                                            const llvm::BitVector &lanes);

  /// A constant in each lane.
  bool isKnown(llvm::Value *value) { return valuesOf(value); }
  /// A condition that is known to hold in each lane that a thread has.
  bool isAlways(llvm::Value *condition);
  /// The same constant in all of `lanes`.
  bool isSame(llvm::Value *value, const llvm::BitVector &lanes);
  /// The constant that a value is in a lane, if it is known.
  std::optional<llvm::APInt> valueIn(llvm::Value *value, unsigned lane);
  /// The lanes that may take an edge, of those in its block.
  llvm::BitVector along(llvm::BasicBlock &from, unsigned successor) {
    return onEdge(from, successor);
  }

private:
  /// By lane, of those that a thread has; null: not known.
  const ThreadTable *valuesOf(llvm::Value *);
  llvm::BitVector whereMayBe(llvm::Value *condition, bool value);
  llvm::BitVector onEdge(llvm::BasicBlock &from, unsigned successor);

  LaneFacts facts_;
  std::vector<llvm::BitVector> lanes_;
  ThreadTables tables_;
  llvm::DenseMap<llvm::Value *, const ThreadTable *> values_;
};

} // namespace heddle::simt
