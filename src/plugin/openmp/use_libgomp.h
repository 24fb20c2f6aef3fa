// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::plugin {

/// Makes OpenMP code of the host call libgomp's functions in place of libomp's (use_libgomp.cpp).
class UseLibgompPass : public llvm::PassInfoMixin<UseLibgompPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }
};

} // namespace heddle::plugin
