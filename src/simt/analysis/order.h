// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

#include <vector>

namespace heddle::simt {

/// The order in which a warp takes the blocks of a function when its lanes are at different ones:
/// always the lowest numbered block that a lane waits at. It is topological but for the edges back
/// to loop headers, and the blocks of a loop follow each other. So lanes that part meet again at
/// the first block that all of them reach, and lanes that left a loop wait until the last one has.
/// Needs reducible control flow, loops in simplified form and a single exit block.
struct BlockOrder {
  explicit BlockOrder(llvm::Function &, llvm::LoopInfo &);

  unsigned index(const llvm::BasicBlock *block) const { return indices.lookup(block); }

  /// Puts the kernel's ends right behind the entry: the blocks but for the exit that cannot come to
  /// a barrier or a warp operation any more. Lanes run them as soon as they come there, and wait at
  /// the exit. The order is not topological then.
  void takeEndsFirst();
  /// All indices; a block comes behind those that compute what it uses. The ends have low numbers,
  /// but use what blocks before them have computed.
  std::vector<unsigned> definitionsFirst() const;
  bool isEnd(const llvm::BasicBlock *block) const {
    return index(block) >= 1 && index(block) <= ends;
  }

  std::vector<llvm::BasicBlock *> blocks;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> indices;
  unsigned ends = 0; ///< how many blocks were taken first
};

} // namespace heddle::simt
