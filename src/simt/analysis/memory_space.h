// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/shapes.h"

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Memory of the block or of the thread, in a thread program: nobody outside the block sees it.
bool isBlockMemory(const llvm::Value *pointer, const llvm::Function &thread);

/// Adds all accesses by `pointer` and addresses that are computed from it: plain loads and stores,
/// and read-modify-writes if they are wanted. False if anything else is done with it.
bool findPlainAccesses(llvm::Value &pointer, bool andAtomics,
                       llvm::SmallVectorImpl<llvm::Instruction *> &accesses);

/// Found through one pointer that the kernel was given or has loaded: global memory, nearly always.
bool isGivenMemory(const llvm::Value *pointer);

} // namespace heddle::simt
