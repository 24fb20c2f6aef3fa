// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_device.h"
#include "simt/pass.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Marks loads and stores of arrays that the kernel was given (StreamMetadata in pass_notes.h). No
/// stores are in a kernel with atomic operations, fences or volatile
/// accesses: other blocks could wait for what it writes.
///
///     store float %v, ptr %p    ->    store float %v, ptr %p, !heddle.stream !{i64 4, i64 4}
struct MarkStreams : llvm::PassInfoMixin<MarkStreams> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
