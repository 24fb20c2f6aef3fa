// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Masks that LLVM would carry from block to block in a scalar register for each lane become
/// vectors of integers there; see the top of legalize_masks.cpp.
struct LegalizeMasks : llvm::PassInfoMixin<LegalizeMasks> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
