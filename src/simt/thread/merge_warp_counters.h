// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Counters that a block keeps for each of its warps, to add them up afterwards, become one set,
/// and one thread goes through what all have counted. The kernel gains most if one program holds
/// the block, so that is its form then, if it is free.
struct MergeWarpCounters : llvm::PassInfoMixin<MergeWarpCounters> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
