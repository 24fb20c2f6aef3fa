// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Computes with 16 bits what bytes add up to, if nobody asks for more (narrow_sums.cpp).
struct NarrowSums : llvm::PassInfoMixin<NarrowSums> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
