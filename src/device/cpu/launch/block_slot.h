// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/engine/worker.h"
#include "device/debugger.h"

#include <memory>
#include <optional>
#include <vector>

namespace heddle::device::cpu {

/// A block of a kernel that waits, with memory of its own: it can be put aside while others run,
/// and any worker can go on with it. In a launch with clusters, the first block of a cluster, and
/// the slot is the whole cluster's (cluster.cpp).
struct BlockSlot {
  enum class Entry : uint8_t {
    Start,
    AfterGrid,
    AfterCluster,
    GoOn
  }; ///< how it is entered the next time

  Block block;
  BlockRun run;
  Entry entry = Entry::Start;
  bool over = false; ///< of a cooperative grid or a cluster: it has ended
  bool wasParked = false;
  uint8_t *frames = nullptr; ///< where the first warp's frame begins
  std::unique_ptr<WarpState[]> warps;
  std::unique_ptr<uint8_t[]> scratch;
  uint32_t warpsReserved = 0, scratchReserved = 0;
  Arena shared, frameArena;
  Fibers fibers;
  std::vector<std::unique_ptr<BlockSlot>> others; ///< of its cluster, by rank
  BlockSlot *stuck = nullptr;                     ///< after a deadlock: the block that cannot go on
  BlockSlot *next = nullptr;                      ///< in a list of parked or of spare ones
  uint64_t epoch = 0, digest = 0;                 ///< what it looked like when, see hang.cpp
  DebuggedBlock debugged = {};                    ///< in the debugger's list with KernelDebugged

  BlockSlot() = default;
  BlockSlot(const BlockSlot &) = delete;
  ~BlockSlot() { hideFromDebugger(debugged); }
};

/// Calls action(slot) for the block, or for all of its cluster.
template <typename Slot, typename F> void forEachBlock(Slot &slot, F &&action) {
  action(slot);
  for (const std::unique_ptr<BlockSlot> &other : slot.others)
    action(static_cast<Slot &>(*other));
}

/// Gives the slot what a block of the launch needs, and makes it block `index`, or the blocks of
/// cluster `index`. False if there is no memory: the launch has failed.
bool setUpSlot(Worker &, Op &, BlockSlot &, uint64_t index);
/// The same for one block, all but its place in the grid.
bool setUpBlock(Worker &, Op &, BlockSlot &);
/// Runs the block on this worker, as `entry` says, until it has ended, waits for the grid, polls in
/// vain (Idle), or pauses. `gotOn`: it has done something else than to poll in vain. Nothing if the
/// launch has failed meanwhile.
std::optional<BlockEnd> enterSlot(Worker &, Op &, BlockSlot &, bool &gotOn);
/// The same for one block, up to AtCluster, too.
std::optional<BlockEnd> enterBlock(Worker &, Op &, BlockSlot &, bool &gotOn);

/// Of clusters, in cluster.cpp.
bool setUpCluster(Worker &, Op &, BlockSlot &, uint64_t cluster);
std::optional<BlockEnd> enterCluster(Worker &, Op &, BlockSlot &, bool &gotOn);

/// Where a block is, for %smid: on the worker, or on the board's multiprocessor whose turn it is.
inline void placeBlock(const Worker &worker, const Op &op, Block &block) {
  const bool isBoard = op.launch.multiprocessors != 0;
  block.smId = isBoard ? SmInTurn : uint16_t(worker.index % processorWorkers);
  block.multiprocessors = isBoard ? op.launch.multiprocessors : uint16_t(processorWorkers);
}

/// Memory that another launch has left, or new one.
BlockSlot *takeSpareSlot(Worker &);
void giveSpareSlot(Worker &, BlockSlot *);

} // namespace heddle::device::cpu
