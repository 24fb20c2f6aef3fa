// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Follows through the thread program which bits of memory nothing has written, and checks values
/// that are made of such bits where something depends on them.
///
///     %v = load i32, ptr %p   ->   %s = call ptr @heddle.shadow(%p, ...)
///     %w = add i32 %v, 1           %b = load i32, ptr %s
///                                  call void @heddle.uninitialized(%b != 0, %p)
///     store i32 %w, ptr %q    ->   store i32 0, ptr (call @heddle.shadow(%q, ...))
///
/// Runs before insert-checks, which does not look at the shadow.
struct InsertInitChecks : llvm::PassInfoMixin<InsertInitChecks> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
