// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Instruction.h"

namespace heddle::simt {

/// Whether the instruction's value may differ from one time to the next because another thread has
/// written: an atomic operation, a volatile or atomic load, the call of a function that holds such
/// or is not known; with `anyLoad` (where something orders memory) any load of memory that other
/// threads may write.
bool isFromOutside(const llvm::Instruction &, bool anyLoad);

/// __nanosleep.
bool isPause(const llvm::Instruction &);

} // namespace heddle::simt
