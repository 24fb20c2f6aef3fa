// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Puts a check in front of each access of memory that the thread program makes.
///
///     %v = load i32, ptr %p      ->   %q = call ptr @heddle.check(%p, 4, %low, %bytes)
///                                     %v = load i32, ptr %q
///
/// Runs right before `widen`: what other passes look at are the accesses as they were.
struct InsertChecks : llvm::PassInfoMixin<InsertChecks> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
