// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/widen/widen.h"

namespace heddle::simt {

/// Gives the module its one exported symbol, `heddle_kernel`, and the functions that it points at:
/// `runBlocks` for a warp program that never waits, otherwise `start` and `resume` around a
/// coroutine. The warp program is inlined into them.
///
/// The second program runs several blocks above each other (columns.h), or a single block where the
/// first one runs neighbours (coarsen_blocks.h), if the thread program says so.
struct BuildEntry : llvm::PassInfoMixin<BuildEntry> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// Splits the coroutine at its suspension points (LLVM's coroutine passes) and records the size of
/// its frame. What it writes once goes past the caches.
struct SplitCoroutine : llvm::PassInfoMixin<SplitCoroutine> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
