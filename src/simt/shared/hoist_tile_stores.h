// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// Loops of known length that follow one of these blocks, and do nothing but copy from known places
/// of shared memory, are unrolled into it; so are, anywhere, lane loops of one turn. Returns
/// whether anything changed.
bool unrollCopies(llvm::Function &, llvm::Instruction &shared,
                  llvm::ArrayRef<llvm::BasicBlock *> before, llvm::TargetMachine &);

/// Stores of the block that are marked (RowStore in pass_notes.h) move up to where what they store
/// is computed. Fences of one thread do not hold them.
///
///     store %row, %tile + 128; ...; store %row, %out   ->   store %row, %out; ...
void hoistTileStores(llvm::BasicBlock &, llvm::Instruction &shared);

/// Whether fences of one thread keep it in order with others: a write to memory that is not shared
/// and is not marked.
bool needsFences(const llvm::Instruction &, const llvm::Instruction &shared);

/// Stores to known places of shared memory that no load in the function may read are erased.
void dropUnreadShared(llvm::Instruction &shared);

} // namespace heddle::simt
