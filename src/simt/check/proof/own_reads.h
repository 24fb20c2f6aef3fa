// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Stores that a thread comes to only behind a load of its own of the same place, with nothing
/// between that orders threads. If the load counts as a write, too, whoever races with the store
/// races with the load, whether or not the thread comes to the store.
llvm::DenseMap<const llvm::Instruction *, llvm::LoadInst *>
findOwnReads(const llvm::DominatorTree &, llvm::ArrayRef<llvm::LoadInst *>,
             llvm::ArrayRef<llvm::StoreInst *>);

} // namespace heddle::simt
