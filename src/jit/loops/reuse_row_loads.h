// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// In short loops that add up products of a row of memory, a little further each time, registers of
/// the row are loaded once for all products that they are in; see the top of reuse_row_loads.cpp.
struct ReuseRowLoads : llvm::PassInfoMixin<ReuseRowLoads> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
