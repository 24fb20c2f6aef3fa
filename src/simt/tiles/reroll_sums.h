// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"

#include <optional>
#include <vector>

namespace heddle::simt {

/// Sums of one block, to which time and again the same is added of other loads:
///
///     %s1 = fma %a0, %b0, %s0;  %s2 = fma %a1, %b1, %s1; ...
struct UnrolledSums {
  llvm::BasicBlock *block = nullptr;
  /// Of each sum the instructions that add to it, in order. All have as many.
  std::vector<llvm::SmallVector<llvm::Instruction *, 32>> chains;
  std::vector<unsigned> inputs; ///< of each sum the operand that is the sum so far
  /// The loads of the first turn, and for each those of all turns.
  std::vector<llvm::SmallVector<llvm::LoadInst *, 32>> loads;

  unsigned turns() const { return chains[0].size(); }
};

/// The sums that the loads, of one block, are for. Nothing if they are for anything else too.
std::optional<UnrolledSums> findUnrolledSums(llvm::ArrayRef<llvm::LoadInst *> loads);

/// A loop of what was unrolled: 0 to turns() - 1, one block.
struct RolledSums {
  llvm::BasicBlock *before = nullptr;
  llvm::PHINode *turn = nullptr;
  llvm::SmallVector<llvm::LoadInst *, 4>
      loads; ///< in the order of UnrolledSums::loads, of the first turn
};

/// Makes the loop at the end of the block. The unrolled sums are left behind, unused. The loads in
/// the loop are the first turn's: who calls knows what the others are.
RolledSums rerollSums(const UnrolledSums &);

/// The same where each load's address lies a constant step behind the one of the turn before;
/// false, and nothing is done, where they do not.
bool rollBySteps(UnrolledSums);

} // namespace heddle::simt
