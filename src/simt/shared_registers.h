// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// The metadata of the variable that stands for a block's static shared memory (entry.cpp).
inline constexpr const char *SharedVariable = "heddle.shared";

/// For a block that is one program: accesses of lanes that are known become plain vector accesses,
/// and shared arrays that only these touch become vectors in registers. The others stay where they
/// were, in the block's shared memory.
///
///     store <256 x float> %x, %shared                     %sum = fadd (low half of %x),
///     %a = masked.load <256 x float> %shared + 512,   ->            (high half of %x)
///          <lanes 0 to 127>
void keepSharedInRegisters(llvm::Module &, llvm::TargetMachine &);

} // namespace heddle::simt
