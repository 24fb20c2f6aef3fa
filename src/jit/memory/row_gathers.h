// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Loads the rows of lanes that each read several neighbouring elements, and transposes them in
/// registers (row_gathers.cpp).
struct RowGathers : llvm::PassInfoMixin<RowGathers> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
