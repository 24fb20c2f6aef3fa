// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"

namespace heddle::simt {

/// Reads a tile in shared memory that a kernel fills once with global memory, a rim under
/// conditions and all, from where it was copied, if the tile is more than the registers hold. Then
/// the tile and the barrier go.
///
///     if (x < n) tile[tx + 1] = in[x]
///     if (tx == 0 && x > 0) tile[0] = in[x - 1]   ->   if (x > 0 && x < n) f(in[x - 1])
///     barrier
///     if (x > 0 && x < n) f(tile[tx])
///
/// True if it did.
bool propagateHaloCopies(ThreadProgram &, const Options &);

} // namespace heddle::simt
