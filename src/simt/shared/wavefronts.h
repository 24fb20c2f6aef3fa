// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// For a block that is one program: unrolled loops that walk over tiles of shared memory by
/// diagonals take the tiles' rows into registers, and write them back row by row.
///
///     %a = gather %tile[d - lane][lane]      rows of %tile, skewed by blends
///     %b = gather %tile[d - lane - 1][lane]  ->  %b = what the step before has stored
///     scatter f(%a, %b), %tile[d - lane][lane]   row d - 31 of %tile is complete: store
///
/// With hoist-tile-stores, what is copied from the tile behind the walk is stored as soon as it is
/// complete (hoist_tile_stores.h).
struct Wavefronts : llvm::PassInfoMixin<Wavefronts> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
