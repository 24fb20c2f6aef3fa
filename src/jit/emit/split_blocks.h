// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/CodeGen/TargetPassConfig.h"

namespace heddle::jit {

/// Parts long basic blocks (split_blocks.cpp). True if something changed.
bool splitLongBlocks(llvm::Function &);

/// Has the back end do that before it selects instructions.
void addBlockSplits(llvm::TargetPassConfig &);

} // namespace heddle::jit
