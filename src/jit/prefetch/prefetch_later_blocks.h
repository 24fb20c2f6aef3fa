// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Fetches what lies a page ahead of the wide loads, masked ones too, of a kernel's arrays
/// (simt/mark_streams.h): the processor's own prefetchers stop at the end of a page, and forget a
/// row of a tile before its neighbour comes. The blocks that follow will want it.
///
///     %v = load <32 x float>, ptr %p    ->    prefetch %p + 4096, %p + 4160
///       !heddle.stream                        %v = load <32 x float>, ptr %p
///
/// Not in loops of the program, which mostly read again what is in the caches. Kernels of many
/// arrays fetch less far ahead, so that what is fetched stays in the nearest cache until it is
/// used. Not where one array is read and none written: that the processor follows by itself.
struct PrefetchLaterBlocks : llvm::PassInfoMixin<PrefetchLaterBlocks> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
