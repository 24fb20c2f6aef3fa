// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

#include <vector>

namespace heddle::simt {

/// Where one lane of a register that is wanted lies: a lane of another register.
struct Spot {
  llvm::Value *piece = nullptr; ///< null: the lane may be anything
  unsigned index = 0;
};

/// Makes registers of lanes that lie in several others, all at once, by a net of shuffles: what two
/// registers hold for several of the wanted ones goes into one register for all of these. A matrix
/// of 16x16 lanes is transposed by 64 shuffles, and not by 15 for each of its 16 rows:
///
///     want a0 b0 c0 d0, a1 b1 c1 d1, ...
///     ab = a0 b0 a1 b1, cd = c0 d0 c1 d1, and the same of the other halves
///     a0 b0 c0 d0 = lower halves of ab, cd
///     a1 b1 c1 d1 = upper halves of ab, cd
///
/// A value for each wanted register, in order; none at all where that takes as many shuffles as one
/// register after the other would. All registers have one type.
std::vector<llvm::Value *> exchangeLanes(llvm::IRBuilder<> &,
                                         llvm::ArrayRef<llvm::SmallVector<Spot, 16>> wanted);

} // namespace heddle::simt
