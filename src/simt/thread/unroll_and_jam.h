// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Takes several rounds of a loop around an innermost loop at once where that loop loads the same
/// in each of them: unroll and jam (Carr and Kennedy, "Improving the ratio of memory operations to
/// floating-point operations in loops", TOPLAS 1994).
///
///     for (j = 0; j < n; ++j) {             for (; j + 4 <= n; j += 4) {
///       sum = 0;                              sum0 = sum1 = sum2 = sum3 = 0;
///       for (k = 0; k < m; ++k)        ->     for (k = 0; k < m; ++k)
///         sum += row[k] * w[j][k];              sum0 += row[k] * w[j][k],
///                                               sum1 += row[k] * w[j + 1][k], ...
///       out[j] = sum;                         out[j] = sum0, out[j + 1] = sum1, ...
///     }                                     } // and the rest as before
struct UnrollAndJam : llvm::PassInfoMixin<UnrollAndJam> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
