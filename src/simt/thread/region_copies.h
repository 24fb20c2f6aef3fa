// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What version_guards.cpp and version_clamps.cpp have in common: a second copy of a part of a
// kernel.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace heddle::simt {

/// Copies blocks within their function; the edges that leave them go where they went. No value of
/// theirs is used outside, but by phis where an edge leaves. The edges into them stay.
void copyBlocks(llvm::ArrayRef<llvm::BasicBlock *> blocks, llvm::ValueToValueMapTy &);

/// Loops in simplified and closed form again.
void normalizeLoops(llvm::Function &);

} // namespace heddle::simt
