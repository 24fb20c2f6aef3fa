// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/order.h"

#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// For each block, by index: the first block that certainly runs with the same active lanes as it,
/// itself if there is none before it. Lanes that part in between meet again before the later block
/// runs, because a warp always takes the lowest numbered block (order.h):
///
///     A: br %c, B, C         A and D have the same lanes, and so have the blocks before and after
///     B: ...; br D           a loop, however lanes leave it. A `return` on the way makes D no
///     C: ...; br D           postdominator of A, a loop around D alone gives them different loops.
///     D: ...
std::vector<unsigned> findSameMasks(const BlockOrder &, const llvm::LoopInfo &,
                                    const llvm::DominatorTree &, const llvm::PostDominatorTree &);

} // namespace heddle::simt
