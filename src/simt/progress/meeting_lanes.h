// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/progress/warp_walk.h"

namespace heddle::simt {

/// A warp operation that threads name each other in: a shuffle, a vote, a match, a reduction or
/// __syncwarp. (Those without a mask are for the lanes that come together.)
bool hasMemberMask(const llvm::CallInst &);

/// All threads of the block, or of the grid, wait for each other there.
bool isBarrierOfAll(const llvm::CallInst &);

/// Whether lanes of one warp may meet in warp operations at different instructions, or at one of
/// them in different turns of a loop (meeting_lanes.cpp).
bool lanesMeet(llvm::Function &thread, const Options &, WarpWalk &);

} // namespace heddle::simt
