// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Fetches ahead what loops read of rows that lie one behind the other, as in a sparse matrix of
/// compressed rows (CSR).
struct PrefetchCompressedRows : llvm::PassInfoMixin<PrefetchCompressedRows> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
