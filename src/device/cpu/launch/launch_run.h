// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one worker does in a launch (worker_blocks.cpp), and grids whose blocks wait for each other
// (cooperative.cpp), for launch_run.cpp.
#pragma once

#include "device/cpu/engine/worker.h"

namespace heddle::device::cpu {

// Each returns false if the launch has failed: the fault is reported, or another worker's was.

/// Gives the worker what the kernel needs for one block at a time.
bool bindBlock(Worker &, Op &);
/// Goes on in another form of the kernel, unless it is in that one.
bool takeForm(Worker &, Op &, const KernelInfo &form);
bool bindFibers(Worker &, Op &, Fibers &);
bool runChunk(Worker &, Op &, uint64_t first, uint64_t count);
/// Makes the worker's table of additions, if the kernel needs it and it has none, and says what may
/// be kept in it (deferred_adds.cpp).
void bindDeferred(Worker &, const Launch &);
/// What the worker has put off (KernelCode::deferred) reaches memory.
void settle(Worker &, Op &);

/// Whether blocks of this launch may wait at a grid barrier. Then it has a GridRun while it runs.
bool isGrid(const Op &);
GridRun *newGrid(uint64_t blocks);
/// All blocks have come to the grid barrier or their end. True if that is the end of the launch,
/// false if there is another round. Under the engine's lock.
bool gridIsOver(Op &);

} // namespace heddle::device::cpu
