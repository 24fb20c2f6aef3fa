// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// A loop over tiles and a copy in front of it without guards (split_guarded_loops.cpp).
struct SplitGuardedLoop {
  llvm::BranchInst *choice; ///< chooses the copy, or the loop for all rounds
  llvm::BasicBlock *whole;  ///< the header of the copy
  llvm::BasicBlock *rest;   ///< of the loop that goes on where the copy ends
  llvm::Value *turns; ///< at the choice: about how many rounds follow the first; null if not known
};

/// Gives a loop that fills tiles a copy for the rounds in which all threads of the block pass the
/// guards, if there are any. The loop itself does the rounds that are left, and reads no element of
/// a tile that was last stored by the copy. Nothing if there is no such loop, and nothing is
/// changed.
std::optional<SplitGuardedLoop> splitGuardedLoop(llvm::Function &thread, const Options &);

} // namespace heddle::simt
