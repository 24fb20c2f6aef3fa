// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

/// Marks ways through a function that meet, so that their accesses of memory are not made one,
/// which would have no line.
struct KeepLinesPass : llvm::PassInfoMixin<KeepLinesPass> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Takes the marks away. Whether there were any.
bool dropLineMarks(llvm::Function &);

} // namespace heddle::frontend
