// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "jit/memory/lanes_in_turn.h"

#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// Whether a gather of so many lanes can be instructions for eight words (simt/word_places.h).
bool hasWordGather(const Access &, const llvm::TargetMachine &);

/// The gather in such instructions. It takes as long as loads one after the other, whatever the
/// mask; those would have to be told which lanes are active, through memory.
///
///     masked.gather %base + 4 * %index, %mask
///        ->   vgatherdps (%base, %index[0 to 7], 4), %mask[0 to 7]; ...
llvm::Value *gatherWords(llvm::IRBuilder<> &, const Access &);

} // namespace heddle::jit
