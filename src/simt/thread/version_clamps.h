// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Makes copies of code behind clamped indices for warps in which no clamp binds: there the
/// accesses go straight from lane to lane. The kernel stays in the form of normalize.h.
///
///     %w = smax(%x - 1, 0)            ->      br heddle.all(%x - 1 >= 0), %code.all, %code
///     load %p + %w                            %code.all: load %p + (%x - 1)
struct VersionClamps : llvm::PassInfoMixin<VersionClamps> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
