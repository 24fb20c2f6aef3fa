// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/BasicBlock.h"

namespace heddle::simt {

/// Loads and stores of a block that follow each other in memory, as those of a vector or a structure
/// do: of each, how many elements its row has. Those alone are left out.
llvm::DenseMap<const llvm::Instruction *, unsigned> findNeighbours(const llvm::BasicBlock &);

} // namespace heddle::simt
