// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Runs a row of blocks as one range of threads that is cut where a quotient of the thread's index
/// changes (cut_rows.cpp). Chooses the width of what it changes; sets ThreadProgram::cutsRows.
struct CutRows : llvm::PassInfoMixin<CutRows> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
