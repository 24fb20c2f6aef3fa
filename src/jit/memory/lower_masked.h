// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

/// Lowers masked loads, stores, gathers and scatters that `machine` has no instruction for. LLVM
/// would make one branch for each lane of each; see the top of lower_masked.cpp for what is made
/// instead, with `gathersWords` by AVX2's instruction where it is not fast (gather_words.h).
void lowerMasked(llvm::Module &module, llvm::TargetMachine &machine, bool gathersWords = true);

} // namespace heddle::jit
