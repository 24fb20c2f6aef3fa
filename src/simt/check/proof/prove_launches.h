// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Writes down between which bounds a kernel's accesses lie, so that launches in which a check could
/// find nothing need not be looked at (base/abi/launch_proof.h). Changes nothing.
///
///     if (i < n) a[i] = 0;    ->    a: bytes [0, 4 * min(n, threads)), an element of its own for
///                                   each thread
struct ProveLaunches : llvm::PassInfoMixin<ProveLaunches> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
