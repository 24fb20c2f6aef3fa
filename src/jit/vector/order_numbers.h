// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// On machines with AVX512DQ: minima and maxima of single floats that prefer numbers to NaNs become
/// those that LLVM's back end takes rightly (order_numbers.cpp).
struct OrderNumbers : llvm::PassInfoMixin<OrderNumbers> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
