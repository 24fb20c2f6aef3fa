// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// On machines with vrange (AVX512DQ): minima and maxima of floats become this instruction, to
/// which -0 is below +0, as to a GPU, and a NaN gives the other operand (order_zeros.cpp).
struct OrderZeros : llvm::PassInfoMixin<OrderZeros> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
