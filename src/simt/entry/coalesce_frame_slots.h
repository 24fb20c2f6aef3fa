// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Gives vectors that a loop carries through several suspensions one place, before the coroutine is
/// split.
void coalesceFrameSlots(llvm::Function &coroutine);

} // namespace heddle::simt
