// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Neighbouring lanes of two registers that lie side by side in memory are loaded from there:
///
///     %a = load <8 x float>, %p;  %b = load <8 x float>, %p + 32
///     %s = shufflevector %a, %b, <7, 8, ... 14>         ->   %s = load <8 x float>, %p + 28
///
/// Where the machine has no shuffle of two registers (AVX2) that is one instruction, mostly an
/// operand in memory, for three to five. What the registers were loaded from must be the same
/// still: nothing in the block may have written there. Not where the block itself has stored there
/// before: the load would lie across two stores under way.
struct FoldShiftedLoads : llvm::PassInfoMixin<FoldShiftedLoads> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
