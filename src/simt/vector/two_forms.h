// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::simt {

/// Moves what `inputs` are computed from before all else in the block of `last`, and returns the
/// first of the rest. Null, and nothing is moved, if that cannot be, or what is left up to `last`
/// may not be made twice.
///
///     A; %p; B(%p); store %b, %p   ->   %p; A; B(%p); store %b, %p
llvm::Instruction *computeFirst(llvm::ArrayRef<llvm::Value *> inputs, llvm::Instruction &last);

/// Whether all from `first` to `last` may be made twice.
bool mayMakeTwoForms(llvm::Instruction &first, llvm::Instruction &last);

/// Instructions of a block, and a copy of them that runs instead where `condition` holds, which is
/// known before the first of them.
///
///     A; B; C   ->   if (%condition) A'; B' else A; B;   C
void makeTwoForms(llvm::Instruction &first, llvm::Instruction &last, llvm::Value *condition,
                  llvm::ValueToValueMapTy &copies);

/// Copies the instructions of a block up to `last` into each of its predecessors. False if one of
/// them may not be made twice, or the block is the head of a loop.
///
///     a: %x, br c                          a: %x, store %x, br c
///     b: %y, br c                     ->   b: %y, store %y, br c
///     c: %z = phi %x, %y; store %z         c:
bool moveToPredecessors(llvm::Instruction &last, const llvm::DominatorTree &);

} // namespace heddle::simt
