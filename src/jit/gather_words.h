// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/lanes_in_turn.h"

#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// Whether a gather can be AVX2's instruction for eight words, which LLVM makes none
/// of where gathers are not known to be fast: 32-bit elements at signed indices of 32 bits.
bool hasWordGather(const Access &, const llvm::TargetMachine &);

/// The same of gathers of `element` that are still to be made, of eight lanes with addresses like
/// this one's.
bool hasWordGather(const llvm::Value &address, const llvm::Type &element,
                   const llvm::TargetMachine &);

/// The gather in such instructions. It takes as long as loads one after the other, whatever the
/// mask; those would have to be told which lanes are active, through memory.
///
///     masked.gather %base + 4 * %index, %mask   ->   vgatherdps (%base, %index[0 to 7], 4),
///     %mask[0 to 7]; ...
llvm::Value *gatherWords(llvm::IRBuilder<> &, const Access &);

} // namespace heddle::jit
