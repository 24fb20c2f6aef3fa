// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Blocks of a row that a call runs. If one of their threads faults, it is looked for in all.
inline constexpr unsigned MostBlocksInRow = 16;

/// Runs a row of blocks as one range of threads that is cut where a quotient of the thread's index
/// changes (cut_rows.cpp). Chooses the width of what it changes; sets ThreadProgram::cutsRows.
struct CutRows : llvm::PassInfoMixin<CutRows> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
