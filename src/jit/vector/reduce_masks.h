// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Tests of masks for any or all lanes become reductions of registers; see the top of
/// reduce_masks.cpp.
struct ReduceMasks : llvm::PassInfoMixin<ReduceMasks> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
