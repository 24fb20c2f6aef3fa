// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"

#include <optional>
#include <vector>

namespace heddle::simt {

/// Whether all blocks of a launch access shared memory at the same places in the same order, with the
/// same barriers between: then they have the same races there, or none.
///
/// What depends on the block's number or on what memory holds may differ from block to block: it must
/// not be an address in shared memory, nor decide whether a thread comes to one, or to a barrier.
/// Conditions that would are given back: the launch shows whether they hold for all threads, or for
/// all of how many blocks (LaunchProver::alikeBlocks).
class AlikeBlocks {
public:
  /// What else than values from memory may differ: blocks' numbers, or threads', of one block.
  enum class By : uint8_t { Block, Memory, Thread };
  AlikeBlocks(llvm::Function &, const llvm::DominatorTree &, const llvm::PostDominatorTree &,
              const llvm::LoopInfo &, By);
  /// Null: it is not known. `matters`: an instruction that accesses shared memory, or orders threads.
  /// `addresses`: in shared memory.
  std::optional<std::vector<llvm::Value *>>
  find(llvm::ArrayRef<llvm::Value *> addresses,
       llvm::function_ref<bool(const llvm::Instruction &)> matters);

private:
  bool comesFromElsewhere(const llvm::Instruction &) const;
  void spread();
  const llvm::BasicBlock *endOf(const llvm::Instruction &branch) const;
  std::vector<const llvm::BasicBlock *> decidedBy(const llvm::Instruction &branch) const;
  std::vector<const llvm::BasicBlock *> joinsBehind(const llvm::Instruction &branch) const;
  void addConditions(llvm::Value *, std::vector<llvm::Value *> &) const;
  bool mayDiffer(const llvm::Value *value) const { return differing_.contains(value); }

  llvm::Function &function_;
  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree &postDominators_;
  const llvm::LoopInfo &loops_;
  By by_;
  llvm::DenseSet<const llvm::Value *> differing_;
};

/// A barrier of the block, a fence or an operation of a warp.
bool ordersThreads(const llvm::Instruction &);
/// A barrier of the whole block, that the number 0 stands for.
bool isWholeBarrier(const llvm::Instruction &);

} // namespace heddle::simt
