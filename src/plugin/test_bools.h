// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::plugin {

/// Device code: every byte but 0 that is read as a `bool` is true, as nvcc has it. See the source.
class TestBoolsPass : public llvm::PassInfoMixin<TestBoolsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() {
    return true;
  } ///< it says what code means, also where nothing is optimised
};

} // namespace heddle::plugin
