// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cooperative grid with barriers runs in rounds. All blocks have memory of their own (GridRun);
// in a round each block that is not over runs up to the grid barrier; when the last has come there,
// the next round begins.
#include "device/cpu/launch_run.h"

#include <memory>
#include <vector>

namespace heddle::device::cpu {

/// All blocks of a cooperative launch.
struct GridRun {
  struct Slot {
    Block block;
    BlockRun run;
    bool started = false, over = false;
    std::unique_ptr<WarpState[]> warps;
    std::unique_ptr<uint8_t[]> scratch;
    Arena shared, frames;
    Fibers fibers;
  };
  std::vector<Slot> slots;
  std::atomic<uint64_t> atGrid{0}, ended{0}; ///< blocks, in this round and in all
  explicit GridRun(uint64_t blocks) : slots(blocks) {}
};

bool isGrid(const Op &op) {
  return op.launch.cooperative && (op.launch.kernel->code->flags & KernelNeedsGrid);
}

GridRun *newGrid(uint64_t blocks) { return new GridRun(blocks); }

namespace {

bool setUpSlot(Worker &worker, Op &op, GridRun::Slot &slot, uint64_t index) {
  const KernelCode &code = *op.launch.kernel->code;
  Block &block = slot.block;
  block.launch = &op.launch.abi;
  setBlockIndex(block, op.launch.abi, code, index);
  slot.warps.reset(new WarpState[code.warpsPerBlock]);
  uint32_t cudaWarps = (code.warpsPerBlock * code.width + 31) / 32;
  slot.scratch.reset(new uint8_t[size_t(cudaWarps) * WarpScratchBytes]);
  block.warps = slot.warps.get();
  block.warpScratch = slot.scratch.get();
  block.shared = slot.shared.reserve(op.launch.abi.sharedBytes, 128);
  block.frameTop = slot.frames.reserve(code.frameBytes * code.warpsPerBlock, 64);
  block.frameEnd = slot.frames.end();
  if (!block.shared || !block.frameTop)
    return failForMemory(worker, op, "a cooperative grid", op.launch.abi.sharedBytes);
  slot.run.init(code, block, slot.fibers, op.launch.cancelled);
  return bindFibers(worker, op, slot.fibers);
}

} // namespace

bool runSlot(Worker &worker, Op &op, uint64_t index) {
  GridRun &grid = *op.launch.grid;
  GridRun::Slot &slot = grid.slots[index];
  if (slot.over)
    return true;
  bool first = !slot.started;
  if (first && !setUpSlot(worker, op, slot, index))
    return false;
  slot.started = true;
  slot.block.smId = worker.index % processorWorkers;
  worker.current = &slot.block;
  worker.currentFrames = &slot.frames;
  worker.currentFibers = &slot.fibers;
  BlockEnd end = BlockEnd::Cancelled;
  if (!runGuarded(worker, &op,
                  [&] { end = first ? slot.run.start() : slot.run.continueFromGrid(); })) {
    failLaunch(worker, op);
    return false;
  }
  slot.over = end == BlockEnd::Finished;
  if (end == BlockEnd::AtGrid)
    grid.atGrid.fetch_add(1, std::memory_order_relaxed);
  if (slot.over)
    grid.ended.fetch_add(1, std::memory_order_relaxed);
  if (end == BlockEnd::Deadlock) {
    reportDeadlock(worker, op, slot.run);
    cancelLaunch(op);
  }
  return end != BlockEnd::Deadlock;
}

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
