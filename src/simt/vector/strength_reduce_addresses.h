// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Addresses of rows, which are taken from a vector one by one, are counted instead:
///
///     %rows = add nsw <4 x i32> splat(%y), <0, 1, 2, 3>     %p0 = gep float, %a, sext(%y) * %w
///     %at = sext(mul nsw %rows, splat(%n))                  %p1 = gep i8, %p0, 4 * %w
///     %p = gep float, %a, <4 x i64> %at                ->   %p2 = gep i8, %p1, 4 * %w
///     load (extractelement %p, 0) ...                       load %p0 ...     ; %w = sext(%n)
struct StrengthReduceAddresses : llvm::PassInfoMixin<StrengthReduceAddresses> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
