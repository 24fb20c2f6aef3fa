// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What added_swaps.cpp and kept_swaps.cpp look for first.
#pragma once

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// A block that ends with the question whether its compare-and-swap has succeeded.
struct SwapTest {
  llvm::AtomicCmpXchgInst *swap = nullptr; ///< null: it ends otherwise
  llvm::BranchInst *branch = nullptr;
  llvm::BasicBlock *onSuccess = nullptr, *onFailure = nullptr;
};
SwapTest swapTestOf(llvm::BasicBlock &);

/// The compare-and-swap of whose two results this is the one; null: of none.
llvm::AtomicCmpXchgInst *swapOf(llvm::Value *result, unsigned index);

} // namespace heddle::simt
