// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class AllocaInst;
} // namespace llvm

namespace heddle::simt {

/// Makes SSA values of variables that are loaded and stored as a whole and nothing else.
void promoteSlots(llvm::ArrayRef<llvm::AllocaInst *> slots);

} // namespace heddle::simt
