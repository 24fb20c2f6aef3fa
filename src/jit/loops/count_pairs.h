// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Counts bytes two at a time in loops that count many of them, one by one, in shared memory. After
/// rematerializeLanes, which leaves the marks by which such loops are known (simt::StillInMemory).
struct CountPairs : llvm::PassInfoMixin<CountPairs> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
