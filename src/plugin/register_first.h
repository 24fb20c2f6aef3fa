// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::plugin {

/// Lets a file's device code be registered before any constructor of a program (register_first.cpp).
class RegisterFirstPass : public llvm::PassInfoMixin<RegisterFirstPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace heddle::plugin
