// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Makes one round of several where each lane goes along a row of its own (unroll_rows.cpp).
///
///     for (j = 0; j < n; ++j)          ->      for (; j + 8 <= n; j += 8)
///       sum += a[i * n + j];                     sum += a[i * n + j], sum += a[i * n + j + 1], ...
struct UnrollRows : llvm::PassInfoMixin<UnrollRows> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
