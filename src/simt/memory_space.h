// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Memory of the block or of the thread, in a thread program: nobody outside the block sees it.
bool isBlockMemory(const llvm::Value *pointer, const llvm::Function &thread);

/// Found through one pointer that the kernel was given or has loaded: global memory, nearly always.
bool isGivenMemory(const llvm::Value *pointer);

} // namespace heddle::simt
