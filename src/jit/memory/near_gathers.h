// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Gives gathers whose lanes probably lie close together (NearGather in pass_notes.h) a second form
/// for when they do: a load and a permutation of a register (near_gathers.cpp).
struct NearGathers : llvm::PassInfoMixin<NearGathers> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
