// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/objects.h"
#include "simt/lower/lower_device.h"
#include "simt/progress/warp_walk.h"

#include "llvm/ADT/SetVector.h"

namespace heddle::simt {

/// heddle.yield()
bool isYield(const llvm::Instruction &);

/// An atomic operation that writes something, as lanes do that try to take a lock.
bool mayTake(const llvm::Instruction &);

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

  /// The loops, which have numbers.
  llvm::ArrayRef<const llvm::Loop *> loops() const { return loops_.getArrayRef(); }
  /// Lanes that go on from the instruction may do what others poll for in the loop, before they
  /// come to it themselves. A guess: parameters are taken to point to different places.
  bool mayAnswer(const llvm::Instruction &from, const llvm::Loop &);

private:
  bool mayBeSeenFrom(const llvm::BasicBlock &, const llvm::Loop &);
  bool triesToTake(const llvm::Instruction &) const;
  bool takesTheSame(const llvm::Instruction &, const llvm::Loop &) const;

  ThreadProgram &program_;
  Objects objects_;
  const WarpWalk &walk_;
  llvm::SmallSetVector<const llvm::Loop *, 4> loops_;
  llvm::SmallVector<const llvm::Value *, 8> polled_; ///< addresses
  llvm::DenseMap<std::pair<const llvm::BasicBlock *, const llvm::Loop *>, bool> seenFrom_;
};

} // namespace heddle::simt
