// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/shapes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace heddle::simt {

/// Threads leave the loop one by one, each in a turn that says nothing of those before: a search
/// for the first index at which something holds. Not a count that comes to its end.
bool isSearch(const llvm::Loop &, llvm::ScalarEvolution &, const Shapes &);

/// Each thread counts to a bound that it has read or computed: the edges of its node, the elements
/// of its row. Not to one that follows from its number.
bool countsToOwnBound(const llvm::Loop &, llvm::ScalarEvolution &, const Shapes &);

} // namespace heddle::simt
