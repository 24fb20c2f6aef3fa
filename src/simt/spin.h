// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Whether the thread program holds a loop that may wait for another block: one whose end depends
/// on a value that an atomic operation or a volatile load in the loop gave, or, if there is a fence
/// in the loop, any load. Such a kernel's blocks are taken one at a time, and more of them run at
/// once when none makes progress (KernelMaySpin). A loop that only looks like one costs no more
/// than that.
bool maySpin(const llvm::Module &);

} // namespace heddle::simt
