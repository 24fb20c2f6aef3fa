// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/objects.h"
#include "simt/lower/lower_device.h"
#include "simt/progress/warp_walk.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace heddle::simt {

/// heddle.yield()
bool isYield(const llvm::Instruction &);

/// The loops of a kernel that poll (polls.h must have marked them), and what lanes in them may see
/// of lanes that a warp program would hold elsewhere (polling_lanes.cpp). It may count on
/// Options::objects and says so.
class PollingLanes {
public:
  PollingLanes(ThreadProgram &, const Options &, const WarpWalk &);

  /// Lanes in one of the loops may poll for what a held lane would do.
  bool waitForHeldOnes();
  bool waitForHeldOnes(const llvm::Loop &);
  /// By a poll: what the instruction writes.
  bool mayBeSeen(const llvm::Instruction &);

private:
  bool mayBeSeenFrom(const llvm::BasicBlock &, const llvm::Loop &);

  ThreadProgram &program_;
  Objects objects_;
  const WarpWalk &walk_;
  llvm::SmallPtrSet<const llvm::Loop *, 4> loops_;
  llvm::SmallVector<const llvm::Value *, 8> polled_; ///< addresses
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::Loop *>, bool> seenFrom_;
};

} // namespace heddle::simt
