// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/simt.h"

namespace heddle::simt {

/// The most blocks of one thread that become the lanes of one program. Of 256, rows of 50 to 100
/// blocks take twice as long, and nothing less; of 64, arithmetic 1.7 times.
inline constexpr unsigned MostNeighbours = 128;

/// Whether neighbouring blocks of the kernel may be lanes of one program: blocks of one thread that
/// have nothing of their own but that thread (coarsen_blocks.cpp).
bool canJoinNeighbours(const ThreadProgram &, const Options &);

/// The thread program of a block becomes that of neighbouring blocks, whose first one is
/// `blockIdx.x`, as threads of one. The kernel must be one that can be joined. The caller folds it.
void joinNeighbours(llvm::Function &thread);

/// So many neighbouring blocks may be one block, whose rows of threads fill registers or warps; 1:
/// they may not, or need not.
unsigned blocksBeside(const ThreadProgram &, const Options &);

/// The thread program of a single block again, a copy that is in no module. That of several threads
/// is the same: theirs are the first numbers of the row.
std::unique_ptr<llvm::Function> copyForOneBlock(llvm::Function &thread, bool hasOneThread);

} // namespace heddle::simt
