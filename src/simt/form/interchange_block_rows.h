// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Whether a row of blocks had better be run row of threads by row of threads than block by block:
/// a kernel that walks straight through memory with blocks of several rows. Threads of the blocks
/// then run in the order in which a loop over a matrix would: memory is read in long pieces, as the
/// processor's prefetchers like it. Order is free there: such a kernel has no loops that could
/// wait, nothing shared, and no thread reads what another one in its block has written to stay in
/// the nearest cache.
///
///     for each block x in the row:              for each row of threads:
///       for each row of threads:         ->       for each block x in the row:
///         run(x, row)                               run(x, row)
bool goesByRows(const ThreadProgram &, const Options &);

/// Whether the order of all threads is free and each accesses memory once where it does: no loops,
/// nothing shared, no atomics, no warp operations, plain loads and stores.
bool isStraightKernel(const ThreadProgram &, const Options &);

/// The most lanes that do not take several rows at once, where a row is as long as a warp.
unsigned widthOfRows(const Options &);

} // namespace heddle::simt
