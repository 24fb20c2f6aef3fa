// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Gives gathers and scatters whose addresses may turn out to be neighbours at run time a second
/// form, and merges accesses to both halves of 8 bytes (version_gathers.cpp).
struct VersionGathers : llvm::PassInfoMixin<VersionGathers> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
