// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/widen.h"

namespace heddle::simt {

/// Gives the module its one exported symbol, `heddle_kernel`, and the functions that it points at:
/// `runBlocks` for a warp program that never waits, otherwise `start` and `resume` around a
/// coroutine. The warp program is inlined into them.
///
/// `second` runs several blocks above each other (columns.h), or a single block where the first one
/// runs neighbours (coarsen_blocks.h), if the thread program says so.
void buildEntry(llvm::Module &, const WarpProgram &, const WarpProgram &second,
                const ThreadProgram &, const Options &);

/// Splits the coroutine at its suspension points (LLVM's coroutine passes) and records the size of
/// its frame. `sharedIsApart`: frame_alias_scopes.h.
void splitCoroutine(llvm::Module &, llvm::TargetMachine &, const Options &, bool sharedIsApart);

} // namespace heddle::simt
