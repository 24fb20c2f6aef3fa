// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cooperative grid with barriers runs in rounds. All blocks have memory of their own (GridRun);
// in a round each block that is not over runs up to the grid barrier (parked.cpp); when the last
// has come there, the next round begins.
#include "device/cpu/launch/grid_run.h"
#include "device/cpu/launch/launch_run.h"

namespace heddle::device::cpu {

bool isGrid(const Op &op) {
  return op.launch.cooperative && (op.launch.kernel->code->flags & KernelNeedsGrid);
}

GridRun *newGrid(uint64_t blocks) { return new GridRun(blocks); }

bool gridIsOver(Op &op) {
  LaunchState &launch = op.launch;
  GridRun &grid = *launch.grid;
  uint64_t atGrid = grid.atGrid.exchange(0), ended = grid.ended.load();
  if (!launch.cancelled && atGrid > 0 && ended > 0)
    reportUnevenGrid(op, atGrid, ended);
  else if (!launch.cancelled && atGrid > 0) {
    launch.next.store(0, std::memory_order_relaxed);
    return false;
  }
  delete std::exchange(launch.grid, nullptr);
  return true;
}

} // namespace heddle::device::cpu
