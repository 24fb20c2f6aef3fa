// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/kernel_abi.h"

namespace heddle::device::cpu {

struct Op;

/// A launch gets what counted code asks for; nothing where its code is another.
void beginCounted(Op &);
void endCounted(Op &);

/// A worker is going to run a block's code.
void bindCounted(Op &, Block &, unsigned worker);
/// A block of the grid begins and ends.
void blockBegins(Block &, uint64_t number, unsigned worker);
void blockEnds(Block &);
inline bool isCounted(const Block &block) { return block.launch->count; }
/// Some blocks of the launch run other code, which is not counted.
bool isSampled(const Op &);
/// How many blocks from `first` on run in the same code as that one; whether it is counted.
uint64_t runOfBlocks(const Op &, uint64_t first, uint64_t most, bool &areCounted);
/// The number of a block that knows its place in the grid: x first.
uint64_t numberOf(const Block &);

} // namespace heddle::device::cpu
