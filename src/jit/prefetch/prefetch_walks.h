// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Fetches ahead what loops read that walk through memory and have a loop over lanes in each round.
void prefetchWalks(llvm::Module &module);

} // namespace heddle::jit
