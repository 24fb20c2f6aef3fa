// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Fetches for writing the cache lines of the rows of a tile that a program stores while it
/// computes (simt/hoist_tile_stores.h), right before each row.
struct PrefetchStores : llvm::PassInfoMixin<PrefetchStores> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
