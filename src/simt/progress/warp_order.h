// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Notes in the thread program whether it counts on a warp's threads to go together where nothing
/// says so (ThreadProgram::countsOnWarps), as programs did before compute capability 7.0:
///
///     volatile int *s = ...;  s[t] += s[t + 16];  s[t] += s[t + 8];  ...
///
/// Such a kernel may not take turns with a form that has fewer lanes than a warp.
struct FindWarpOrder : llvm::PassInfoMixin<FindWarpOrder> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
