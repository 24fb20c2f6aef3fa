// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Signs of vectors of floats are put together as bits (lower_copysign.cpp).
struct LowerCopysign : llvm::PassInfoMixin<LowerCopysign> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
