// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::plugin {

/// Keeps LLVM 22 from vectorizing loops on the strength of an assumption that it has dropped: see
/// the source. After it no loop has extended recurrences of two widths.
class HideNarrowStepsPass : public llvm::PassInfoMixin<HideNarrowStepsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace heddle::plugin
