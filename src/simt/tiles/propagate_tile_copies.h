// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/tiles/split_guarded_loops.h"

namespace heddle::simt {

/// Reads a tile in shared memory that is a copy of global memory from where it was copied, where
/// that is the same value and pays. Then the tile and the barriers around it go.
///
///     loop: %a = load %in + 4 * %thread          loop: %x = load %in + 4 * %other
///           store %a, %tile + 4 * %thread   ->
///           barrier
///           %x = load %tile + 4 * %other
///           barrier                              done: barrier
///
/// `rounds`: the loop over tiles has a copy for most of its rounds, which it is done in only.
/// True if it did.
bool propagateTileCopies(ThreadProgram &, const Options &,
                         const SplitGuardedLoop *rounds = nullptr);

} // namespace heddle::simt
