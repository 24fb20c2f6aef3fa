// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/launch/block_slot.h"

#include "device/cpu/engine/counts.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/launch/launch_run.h"

#include <mutex>

namespace heddle::device::cpu {

namespace {

/// Slots that no worker keeps: a barrier over a grid made by hand leaves thousands, and the next
/// launch of such a kernel wants as many.
class SparePool {
public:
  BlockSlot *take() {
    std::lock_guard guard(mutex_);
    BlockSlot *slot = first_;
    if (slot) {
      first_ = slot->next;
      --count_;
    }
    return slot;
  }
  void give(BlockSlot *slot) {
    {
      std::lock_guard guard(mutex_);
      if (count_ < Most) {
        ++count_;
        slot->next = std::exchange(first_, slot);
        return;
      }
    }
    delete slot;
  }

private:
  static constexpr uint32_t Most = 4096;
  std::mutex mutex_;
  BlockSlot *first_ = nullptr;
  uint32_t count_ = 0;
};

SparePool &spares() {
  static SparePool &pool = *new SparePool; // never destroyed: workers run until the process ends
  return pool;
}

} // namespace

BlockSlot *takeSpareSlot(Worker &worker) {
  if (worker.spareSlot)
    return std::exchange(worker.spareSlot, nullptr);
  BlockSlot *slot = spares().take();
  return slot ? slot : new BlockSlot;
}

void giveSpareSlot(Worker &worker, BlockSlot *slot) {
  forEachBlock(*slot, [](BlockSlot &block) { hideFromDebugger(block.debugged); });
  if (!worker.spareSlot)
    worker.spareSlot = slot;
  else
    spares().give(slot);
}

bool setUpSlot(Worker &worker, Op &op, BlockSlot &slot, uint64_t index) {
  if (op.launch.clusterBlocks > 1)
    return setUpCluster(worker, op, slot, index);
  slot.others.clear();
  if (!setUpBlock(worker, op, slot))
    return false;
  setBlockIndex(slot.block, op.launch.abi, *op.launch.kernel->code, index);
  return true;
}

bool setUpBlock(Worker &worker, Op &op, BlockSlot &slot) {
  const KernelCode &code = *op.launch.kernel->code;
  if (slot.warpsReserved < code.warpsPerBlock) {
    slot.warps.reset(new WarpState[code.warpsPerBlock]);
    slot.warpsReserved = code.warpsPerBlock;
  }
  uint32_t cudaWarps = (code.warpsPerBlock * code.width + 31) / 32;
  if (slot.scratchReserved < cudaWarps) {
    slot.scratch.reset(new uint8_t[size_t(cudaWarps) * WarpScratchBytes]);
    slot.scratchReserved = cudaWarps;
  }
  Block &block = slot.block;
  block = {};
  block.launch = &op.launch.abi;
  block.warps = slot.warps.get();
  block.warpScratch = slot.scratch.get();
  block.shared = block.clusterShared[0] =
      reserveShared(slot.shared, op.launch.abi, code,
                    op.launch.kernel->blockTime.load(std::memory_order_relaxed) == 0);
  slot.frames = slot.frameArena.reserve(code.frameBytes * code.warpsPerBlock, 64);
  block.frameTop = slot.frames;
  block.frameEnd = slot.frameArena.end();
  if (!block.shared || !slot.frames)
    return failForMemory(worker, op, "a block that waits for others",
                         op.launch.abi.sharedBytes + code.frameBytes * code.warpsPerBlock);
  beginShared(block);
  slot.entry = BlockSlot::Entry::Start;
  slot.over = slot.wasParked = false;
  slot.digest = 0;
  slot.stuck = nullptr;
  slot.run.init(code, block, slot.fibers, op.launch.cancelled, op.launch.clusterBlocks <= 1,
                &worker.form->patience);
  if (!bindFibers(worker, op, slot.fibers))
    return false;
  hideFromDebugger(slot.debugged);
  if (code.flags & KernelDebugged) {
    slot.debugged = {.block = &block,
                     .kernel = op.launch.kernel->name,
                     .device = op.queue->device,
                     .threads = code.warpsPerBlock};
    showToDebugger(slot.debugged);
  }
  return true;
}

std::optional<BlockEnd> enterSlot(Worker &worker, Op &op, BlockSlot &slot, bool &gotOn) {
  if (op.launch.clusterBlocks > 1)
    return enterCluster(worker, op, slot, gotOn);
  std::optional<BlockEnd> end = enterBlock(worker, op, slot, gotOn);
  if (end == BlockEnd::Deadlock || end == BlockEnd::AtGrid)
    slot.stuck = &slot;
  return end;
}

std::optional<BlockEnd> enterBlock(Worker &worker, Op &op, BlockSlot &slot, bool &gotOn) {
  placeBlock(worker, op, slot.block);
  bindCounted(op, slot.block, worker.index);
  worker.current = &slot.block;
  worker.currentFrames = &slot.frameArena;
  worker.currentFibers = &slot.fibers;
  slot.debugged.runner = static_cast<uint64_t>(worker.threadId);
  BlockEnd end = BlockEnd::Cancelled;
  BlockSlot::Entry entry = std::exchange(slot.entry, BlockSlot::Entry::GoOn);
  gotOn = entry != BlockSlot::Entry::GoOn;
  bool done = runGuarded(worker, &op, [&] {
    if (op.launch.cancelled.load())
      return;
    if (entry == BlockSlot::Entry::Start)
      blockBegins(slot.block, numberOf(slot.block), worker.index);
    if (entry == BlockSlot::Entry::Start)
      slot.run.startWarps();
    else if (entry == BlockSlot::Entry::AfterGrid)
      slot.run.releaseGrid();
    else if (entry == BlockSlot::Entry::AfterCluster)
      slot.run.releaseCluster();
    uint64_t before = slot.run.steps();
    while ((end = slot.run.advance()) == BlockEnd::Goes)
      ;
    if (end == BlockEnd::Finished)
      blockEnds(slot.block);
    gotOn |= slot.run.steps() != before;
    std::atomic_thread_fence(
        std::memory_order_seq_cst); // non-temporal stores (simt/stream_stores.h)
  });
  gotOn |= end != BlockEnd::Idle;
  slot.debugged.runner = 0;
  if (done)
    return end;
  failLaunch(worker, op);
  return std::nullopt;
}

} // namespace heddle::device::cpu
