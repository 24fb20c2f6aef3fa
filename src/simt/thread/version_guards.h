// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Makes copies of guarded code for warps in which the guard holds in all lanes: they run without
/// masks. The kernel stays in the form of normalize.h.
///
///     br (i < n), %body, %join        ->      br heddle.all(i < n), %body.all, %some
///                                             %some: br (i < n), %body, %join
struct VersionGuards : llvm::PassInfoMixin<VersionGuards> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
