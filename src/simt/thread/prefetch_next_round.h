// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/pass.h"

namespace heddle::simt {

/// Marks what a loop with barriers will load from global memory in its next round.
///
///     loop: %p = gep %a, %i                loop: %p = gep %a, %i
///           %x = load float, %p      ->          heddle.fetch(%p, 4 * 16, 4)
///           ...; barrier                         %x = load float, %p
///           %i.next = add %i, 16                 ...; barrier
struct PrefetchNextRound : llvm::PassInfoMixin<PrefetchNextRound> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
