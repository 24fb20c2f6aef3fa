// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/atomics/lane_atomics.h"

namespace heddle::simt {

/// Atomics on neighbouring elements of shared memory (atomic_groups.cpp).
class AtomicGroups {
public:
  AtomicGroups(Emitter &emitter, LaneArrays &arrays, LaneValues &values, LaneLoops &loops,
               LaneAtomics &lanes)
      : e_(emitter), builder_(emitter.builder), arrays_(arrays), values_(values), loops_(loops),
        lanes_(lanes) {}

  /// True if the atomic is one of a group: the last of them does all.
  bool emit(llvm::AtomicRMWInst &);

private:
  using Group = llvm::SmallVector<std::pair<llvm::AtomicRMWInst *, int64_t>, 8>;
  struct Piece;
  Group findGroup(llvm::AtomicRMWInst &first) const;
  llvm::SmallVector<Piece, 8> piecesOf(const Group &);
  llvm::Value *operandsOfLane(const Piece &, llvm::Value *lane);
  llvm::SmallVector<llvm::Value *, 16> operandsOfSquare(const Piece &, llvm::Value *first);
  void emitGroup(Group);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  LaneAtomics &lanes_;
  llvm::DenseMap<llvm::AtomicRMWInst *, Group> groups_;      ///< by their last atomic
  llvm::SmallPtrSet<llvm::AtomicRMWInst *, 8> doneTogether_; ///< by that one
};

} // namespace heddle::simt
