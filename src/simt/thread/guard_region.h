// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What version_guards.cpp and version_clamps.cpp decide by: which conditions are guards, what they
// guard, what a copy without masks would gain.
#pragma once

#include "simt/analysis/shapes.h"
#include "simt/lower/lower_device.h"

#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// All that is known of a thread program at one time.
struct GuardFacts {
  GuardFacts(llvm::Function &, const Options &);

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::PostDominatorTree postDominators;
  BlockOrder order;
  Shapes shapes;
  unsigned threads; ///< of a block
};

/// The blocks that are run only under a condition, entered at the first.
struct GuardRegion {
  llvm::SmallVector<llvm::BasicBlock *, 8> blocks;
  unsigned size = 0; ///< instructions
  double gain = 0;   ///< masked operations that need no mask where the condition holds in all lanes

  bool contains(const llvm::BasicBlock *block) const { return llvm::is_contained(blocks, block); }
};

/// The block may be there twice: it goes on within the program, and nothing in it waits for others.
bool canCopy(const GuardFacts &, const llvm::BasicBlock &);

/// Made of comparisons of integers that go straight from lane to lane (`i < n`, also several with
/// `and` and `or`), so that whole warps tend to have the same answer.
bool isGuard(const Shapes &, llvm::Value *condition, unsigned depth = 0);

/// All lanes can have the answer `expected`: not so for `threadIdx.x == 0`.
bool canHoldEverywhere(const Shapes &, llvm::Value *condition, bool expected);

/// What the guard at the end of `block` guards on one side: what the successor dominates. Empty
/// if that cannot be copied or would gain nothing.
GuardRegion regionBehind(const GuardFacts &, llvm::BasicBlock *block, unsigned side);

/// The same for the body of a loop whose only divergent exit is a guard in the latch: empty for
/// other loops.
GuardRegion regionOf(const GuardFacts &, const llvm::Loop &);

/// A guard divides the warp at the end of the block.
bool endsInGuard(const GuardFacts &, const llvm::BasicBlock *);

} // namespace heddle::simt
