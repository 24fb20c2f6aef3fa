// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Lanes that find by __match_any_sync how many lanes before them count at the same place of shared
/// memory count there one after the other instead.
struct MatchRanks : llvm::PassInfoMixin<MatchRanks> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
