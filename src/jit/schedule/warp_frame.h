// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::jit {

/// The frame of a suspended program: the memory behind the one argument that nobody else has.
class WarpFrame {
public:
  explicit WarpFrame(llvm::Function &);

  /// The store that puts `sum`, which began as `first`, back where that was loaded from, if it may
  /// be made as soon as the sum is there: `first` is for this sum only, nobody else writes to the
  /// place, nobody looks there between the sum and the store, and no way leads past the store to
  /// who looks there, now or when the program goes on after it has waited.
  llvm::StoreInst *storeBack(const llvm::Value &first, const llvm::Instruction &sum) const;

  /// Stores `sum`, which was loaded from `address`, where it was made. Other blocks load it again.
  static void keep(llvm::Instruction &sum, llvm::StoreInst &, llvm::Value &address);

  /// `sum`, which has been stored to `address`, is loaded from there by other blocks.
  static void loadAgain(llvm::Instruction &sum, const llvm::StoreInst &, llvm::Value &address);

private:
  struct Place {
    uint64_t start, end; ///< bytes from the frame's begin
  };

  bool findAccesses(llvm::Value &address, uint64_t offset);
  void findResumed(const llvm::BasicBlock &entry);
  bool isOnAllWays(const llvm::StoreInst &, const llvm::BasicBlock &from,
                   llvm::ArrayRef<const llvm::Instruction *> readers) const;

  llvm::Argument *argument_ = nullptr;
  llvm::MapVector<llvm::Instruction *, Place> places_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 2> ends_; ///< blocks in which the warp ends
  /// Blocks that store where the program is, and where it goes on then.
  llvm::DenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> resumed_;
};

} // namespace heddle::jit
