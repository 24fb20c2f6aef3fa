// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/engine/worker.h"

#include <memory>
#include <optional>

namespace heddle::device::cpu {

/// A block of a kernel that waits, with memory of its own: it can be put aside while others run,
/// and any worker can go on with it.
struct BlockSlot {
  enum class Entry : uint8_t { Start, AfterGrid, GoOn }; ///< how it is entered the next time

  Block block;
  BlockRun run;
  Entry entry = Entry::Start;
  bool over = false; ///< of a cooperative grid: it has ended
  bool wasParked = false;
  uint8_t *frames = nullptr; ///< where the first warp's frame begins
  std::unique_ptr<WarpState[]> warps;
  std::unique_ptr<uint8_t[]> scratch;
  uint32_t warpsReserved = 0, scratchReserved = 0;
  Arena shared, frameArena;
  Fibers fibers;
  BlockSlot *next = nullptr;      ///< in a list of parked or of spare ones
  uint64_t epoch = 0, digest = 0; ///< what it looked like when, see hang.cpp
};

/// Gives the slot what a block of the launch needs, and makes it block `index`. False if there is
/// no memory: the launch has failed.
bool setUpSlot(Worker &, Op &, BlockSlot &, uint64_t index);
/// Runs the block on this worker, as `entry` says, until it has ended, waits for the grid, or polls
/// in vain (Idle). `gotOn`: it has done something else than to poll in vain. Nothing if the launch
/// has failed meanwhile.
std::optional<BlockEnd> enterSlot(Worker &, Op &, BlockSlot &, bool &gotOn);

/// Memory that another launch has left, or new one.
BlockSlot *takeSpareSlot(Worker &);
void giveSpareSlot(Worker &, BlockSlot *);

} // namespace heddle::device::cpu
