// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Several elements of one vector, each of which is wanted in all lanes of a register, go there
/// through memory (spread_elements.cpp).
struct SpreadElements : llvm::PassInfoMixin<SpreadElements> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
