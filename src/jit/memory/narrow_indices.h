// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Gathers and scatters get indices of 32 bits where these are enough; see the top of
/// narrow_indices.cpp.
struct NarrowIndices : llvm::PassInfoMixin<NarrowIndices> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
