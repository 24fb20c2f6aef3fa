// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Fetches what the next block of the grid copies between global and shared memory.
void prefetchNextTile(llvm::Module &module);

} // namespace heddle::jit
