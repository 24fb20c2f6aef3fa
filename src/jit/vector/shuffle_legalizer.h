// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::jit {

/// Vectors of several registers, and these.
using Pieces = llvm::DenseMap<llvm::Value *, llvm::SmallVector<llvm::Value *, 8>>;

/// Makes one shuffle of vectors of several registers from shuffles of registers.
class ShuffleLegalizer {
public:
  /// `lanes`: of a register. `blendsFirst`: the machine has no instruction that takes lanes of two
  /// registers anyhow. `pieces`: of the function's values so far; the result's are added.
  ShuffleLegalizer(llvm::ShuffleVectorInst &shuffle, unsigned lanes, bool blendsFirst,
                   Pieces &pieces)
      : shuffle_(shuffle), builder_(&shuffle), lanes_(lanes), blendsFirst_(blendsFirst),
        pieces_(pieces) {}

  /// What stands for the shuffle now; null if it needs no cutting, or would not gain by it.
  llvm::Value *run();

private:
  using Picks = llvm::ArrayRef<int>; ///< lanes of both operands, for one register of the result

  llvm::SmallVector<int, 4> sourcesOf(Picks) const;
  bool lieApart(Picks) const;
  void findCommonOrders(Picks mask);
  llvm::Value *source(int number);
  llvm::Value *piece(Picks);
  llvm::Value *inOrder(int number, Picks);
  llvm::Value *reordered(llvm::Value *, llvm::ArrayRef<int> order);
  llvm::Value *blended(llvm::ArrayRef<int> sources, Picks);

  llvm::ShuffleVectorInst &shuffle_;
  llvm::IRBuilder<> builder_;
  unsigned lanes_;
  bool blendsFirst_;
  Pieces &pieces_;
  llvm::DenseMap<int, llvm::Value *> sources_, ordered_;
  llvm::DenseMap<int, llvm::SmallVector<int, 64>> orders_; ///< that serve all results
};

} // namespace heddle::jit
