// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Says of the accesses of a program which cannot meet, for whoever wants to order them: those of
/// its variables (what is handed on from round to round) and, if `sharedIsApart`, of the block's
/// shared memory meet those of nothing else. LLVM does not see it of memory that is found by a
/// pointer from memory, and once the program is split its variables are that.
///
/// `sharedIsApart`: the thread's program only loads and stores by its address.
void addFrameAliasScopes(llvm::Function &, bool sharedIsApart);

} // namespace heddle::simt
