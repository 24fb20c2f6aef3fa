// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Stores the rows of lanes that each write several neighbouring elements, transposed in registers
/// (row_scatters.cpp).
struct RowScatters : llvm::PassInfoMixin<RowScatters> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
