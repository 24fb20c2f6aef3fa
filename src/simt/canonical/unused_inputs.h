// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Phis beside a load no longer keep what nobody can use on the way around the load.
struct UnusedInputs : llvm::PassInfoMixin<UnusedInputs> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
