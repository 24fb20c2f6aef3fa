// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

struct DecidedBlocks {
  llvm::SmallVector<const llvm::BasicBlock *, 16> blocks; ///< threads come to these or not
  llvm::SmallVector<const llvm::PHINode *, 8> values;     ///< that differ by the way
  const llvm::BasicBlock *end;                            ///< where all ways meet
};
/// What a branch in a loop decides, unless it decides whether the loop goes on.
std::optional<DecidedBlocks> decidedInside(const llvm::Instruction &branch, const llvm::Loop &,
                                           const llvm::PostDominatorTree &);

/// The value decides whether the loop goes on, other than by way of memory.
bool decidesEnd(const llvm::Instruction &value, const llvm::Loop &,
                const llvm::PostDominatorTree &);

} // namespace heddle::simt
