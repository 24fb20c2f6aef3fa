// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Unrolls loops of a thread program whose number of iterations is known and that hold warp
/// operations or, if the block is one program, barriers, if the lanes that take part in each
/// iteration, or those they work with, are constants then. Loops whose iterations differ in what
/// is loaded only stay loops.
///
///     for (half = 128; half > 0; half /= 2) {      if (t < 128) s[t] += s[t + 128]; barrier
///       if (t < half) s[t] += s[t + half];    ->   if (t < 64) s[t] += s[t + 64]; barrier
///       barrier; }                                 ...
/// In a block that is one program also loops of loads and sums that threads leave by their index:
/// the lanes that are left in each round are constants too.
///
///     for (j = 0; j < warp; ++j)        if (warp > 0) sum += sums[0];
///       sum += sums[j];            ->   if (warp > 1) sum += sums[1]; ...
///
/// And there loops that fill a tile by quotient and rest of their counter: row and column are
/// numbers of each thread then (analysis/lane_runs.h).
///
/// And there short loops by the thread's index alone, as those that fill a tile with a halo: which
/// lanes are left for the last row and column is a constant.
///
/// Returns whether there were any.
bool unrollBarrierLoops(llvm::Module &, const ThreadProgram &, const Options &,
                        llvm::TargetMachine &);

} // namespace heddle::simt
