// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::plugin {

/// Device code: remainders stay known as such. See the source.
class MarkRemaindersPass : public llvm::PassInfoMixin<MarkRemaindersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace heddle::plugin
