// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Bits of two vectors that are put together by a constant, under a mask, get the order of operands
/// that LLVM's back end for AVX-512 takes rightly (order_merges.cpp).
struct OrderMerges : llvm::PassInfoMixin<OrderMerges> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
