// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Fetches all cache lines of `bytes` bytes. Harmless at any address.
void prefetchLines(llvm::IRBuilder<> &, llvm::Value *address, uint64_t bytes,
                   bool forWriting = false);

/// Fetches ahead what loops read that go through memory in steps of the grid's size.
void prefetchSteps(llvm::Module &module);

} // namespace heddle::jit
