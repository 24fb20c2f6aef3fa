// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"

namespace heddle::simt {

/// Loads and stores of a block that follow each other in memory, as those of a vector or a structure
/// do: of each, how many elements its row has. Those alone are left out.
llvm::DenseMap<const llvm::Instruction *, unsigned> findNeighbours(const llvm::BasicBlock &);

/// Rows of fewer bits are not worth a vector.
inline constexpr unsigned ShortestVector = 128;

/// A number or a pointer.
bool isPlainType(llvm::Type *);
/// A load or store of one that is neither volatile nor atomic.
bool isPlainAccess(const llvm::Instruction &);

/// How many scalar instructions of a block are one where its thread goes alone, and rows are vectors of at most
/// `bits` bits.
class NeighbourRows {
public:
  NeighbourRows(const llvm::BasicBlock &, unsigned bits);

  unsigned of(const llvm::Instruction &instruction) const {
    return isPlainAccess(instruction) ? inRegister(instruction) : shortest_;
  }
  /// The same where a few accesses may be none of rows.
  unsigned ofMost(const llvm::Instruction &instruction) const {
    return isPlainAccess(instruction) ? inRegister(instruction) : most_;
  }
  /// What is computed goes to memory as a row: it is no sum of one.
  bool storesRows() const { return storesRows_; }

private:
  /// Of an access alone.
  unsigned inRegister(const llvm::Instruction &access) const;

  llvm::DenseMap<const llvm::Instruction *, unsigned> neighbours_;
  unsigned bits_;
  unsigned shortest_; ///< of all accesses
  unsigned most_ = 1;
  bool storesRows_ = false;
};

} // namespace heddle::simt
