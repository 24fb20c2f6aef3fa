// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/simt.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle::simt {

/// Bytes of tiles of which another set pays: both and the programs' frames lie near.
inline constexpr unsigned LargestTiles = 16384;

/// A loop each of whose rounds fills tiles in shared memory, waits, reads them, and waits again
/// before the next round fills them anew.
struct TileLoop {
  llvm::Loop *loop = nullptr;
  llvm::CallInst *filled = nullptr, *read = nullptr;   ///< the barriers; `read` may be null
  llvm::SmallVector<llvm::Instruction *, 16> accesses; ///< to shared memory, all in the loop

  bool contains(const llvm::Instruction &instruction) const { return loop->contains(&instruction); }
};

/// Accesses of a loop to shared memory go to other places: their addresses are computed again from
/// `base`, which is in the loop's header or in front of it, in place of `shared`.
void moveAccesses(llvm::ArrayRef<llvm::Instruction *> accesses,
                  llvm::ArrayRef<llvm::BasicBlock *> loop, llvm::Argument &shared,
                  llvm::Instruction &base);

/// The outermost loop that waits in each of its rounds exactly `waits` times, once or twice, and
/// in no loop within it. Null if there is none. `header`: of the only loop that is asked for.
llvm::Loop *findWaitingLoop(LoopFacts &, unsigned waits, TileLoop &,
                            const llvm::BasicBlock *header = nullptr);

/// A call that touches no memory and waits for nobody.
bool onlyComputes(const llvm::CallInst &);

/// What else the loop does to memory is loads.
bool onlyLoadsBesides(const TileLoop &);

/// All other loads come before the first barrier.
bool loadsComeFirst(const TileLoop &, const LoopFacts &);

/// All threads of a block that enter the loop leave it together.
bool isLeftTogether(const llvm::Loop &, const Shapes &ofBlock);

} // namespace heddle::simt
