// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// A gather whose lanes lie at fixed distances from one address (a column of a tile in shared
/// memory) loads one element after the other where the machine has no gathers or slow ones:
///
///     gather (gep %tile, <0, 132, 264, 396>)   ->   load %tile; load %tile + 132; ...
///
/// Lanes in a small part of a variable are one load and a shuffle, on all machines:
///
///     gather (gep %variable, <3, 11, 19, 27, ...>)   ->   shuffle (load <32 x float> %variable)
///
/// Loaded in turn, the addresses are part of the load instructions. For AMD's processors: 32 lanes
/// took 7.7 ns by addresses in registers, 6.0 by 32-bit indices and 3.8 one by one (Zen 5).
struct ScalarizeGathers : llvm::PassInfoMixin<ScalarizeGathers> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
