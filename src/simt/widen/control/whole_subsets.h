// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/lane_subset.h"

namespace heddle::simt {

/// The blocks, by index, to which all lanes that can come to them (lane_subset.h) come at the same
/// time. Their masks are constants: the rim of a tile is loaded by threads that the block's shape
/// chooses, and all of these do if one does.
///
///     if (threadIdx.x == 0 && x > 0)      %any = extractelement %mask, 0
///       ...                          ->   br %any: ... under <1, 0, 0, ..., 1, 0, 0, ...>
///
/// For that what else the branch asks must be the same in all these lanes, as x above, which is the
/// same again in each row of the block. `entryIsWhole`: all threads that lanes stand for are active
/// at the function's entry.
std::vector<bool> findWholeSubsets(const BlockOrder &, const Shapes &, LaneSubsets &,
                                   const std::vector<unsigned> &sameMasks, bool entryIsWhole);

} // namespace heddle::simt
