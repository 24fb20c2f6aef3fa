// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/shared/shared_accesses.h"

#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace heddle::simt {

/// Neighbouring stores of one block, between which nothing reads: they happen at once.
using StoreGroup = llvm::SmallVector<SharedAccess *, 4>;

/// Bytes [first, end) of shared memory that accesses overlap in, as a vector of cells.
struct SharedPiece {
  int64_t first, end;
  llvm::SmallVector<SharedAccess *, 16> accesses = {};
  int64_t cellBytes = 0;
  llvm::FixedVectorType *type = nullptr;
  llvm::SmallVector<SharedAccess *, 16> loads = {};
  std::vector<StoreGroup> stores = {};
  llvm::AllocaInst *variable = nullptr;

  /// How many cells all accesses move: what compiling costs.
  uint64_t moved() const;
};

/// The pieces that the accesses of a function fall into, their cells chosen and their stores in
/// groups.
std::vector<SharedPiece> cutIntoPieces(llvm::Function &, std::vector<SharedAccess> &);

/// A store that changes nothing if no lane of any mask is set.
struct MaskedStore {
  llvm::StoreInst *store;
  llvm::SmallVector<llvm::Value *, 4> masks;
};

/// Replaces the accesses by those of `piece.variable`; adds to `masked` what decides at run time.
void rewriteAccesses(const SharedPiece &piece, std::vector<MaskedStore> &masked);

} // namespace heddle::simt
