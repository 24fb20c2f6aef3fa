// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Fetches the cache lines that loops will write to at places which they count in memory.
void prefetchBuckets(llvm::Module &module);

} // namespace heddle::jit
