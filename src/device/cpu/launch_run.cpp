// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How workers share a launch. Each takes chunks of blocks from its own part of the grid, then from
// those of others (grid_parts.h), until none is left; schedule.h says how many at a time. Where
// blocks may wait for each other, or print, all take from one counter, in order: a block that waits
// for a flag of an earlier block makes progress. A kernel whose blocks may wait for each other gets
// one block at a time (see also stuck.cpp).
//
// A cooperative grid with barriers runs in rounds. All blocks have memory of their own (GridRun);
// in a round each block that is not over runs up to the grid barrier; when the last has come there,
// the next round begins.
#include "base/processors.h"
#include "base/switches.h"
#include "device/cpu/allocator.h"
#include "device/cpu/cpu_device.h"
#include "device/cpu/float_mode.h"
#include "device/cpu/grid_parts.h"
#include "device/cpu/schedule.h"
#include "device/cpu/worker.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
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

void failLaunch(Worker &worker, Op &op) {
  if (worker.lockedHeap) {
    worker.lockedHeap->recover();
    worker.lockedHeap = nullptr;
  }
  cancelLaunch(op); // first: a report takes time
  if (worker.record.fault != Fault::None)
    reportFault(worker, op);
}

bool failForMemory(Worker &worker, Op &op, const char *what, uint64_t bytes) {
  worker.record = {};
  worker.record.fault = Fault::Trap;
  worker.current = nullptr;
  snprintf(worker.record.text, sizeof(worker.record.text), "no memory for %llu bytes of %s",
           static_cast<unsigned long long>(bytes), what);
  failLaunch(worker, op);
  return false;
}

namespace {

/// `time`: of a block, as this worker has measured it; 0: not yet.
LaunchProgress progressOf(const LaunchState &launch, uint64_t next, uint64_t time = 0) {
  uint64_t left = next < launch.blocks ? launch.blocks - next : 0;
  unsigned joined = launch.participants.load(std::memory_order_relaxed) + Engine::get().arriving();
  if (!time)
    time = launch.blockTime.load(std::memory_order_relaxed);
  if (!time)
    time = launch.kernel->blockTime.load(std::memory_order_relaxed);
  return {left, processorWorkers, joined, time, Engine::get().hasDozing()};
}

bool bindFibers(Worker &worker, Op &op, Fibers &fibers) {
  const KernelCode &code = *op.launch.kernel->code;
  if (!(code.flags & KernelFibers) || fibers.reserve(code.warpsPerBlock))
    return true;
  return failForMemory(worker, op, "stacks, one for each thread of a block",
                       code.warpsPerBlock * Fibers::StackBytes);
}

/// Nothing that the kernel touches lies in an allocation that it has deferred sums in.
bool liesApart(const Op &op) {
  const DeferredObjects *objects = op.launch.kernel->code->deferredObjects;
  auto baseOf = [&](uint32_t i) {
    const Launch &launch = op.launch.abi;
    const void *pointer = launch.globals;
    if (objects->offsets[i] != DeferredObjects::Globals)
      std::memcpy(&pointer, launch.params + objects->offsets[i], sizeof(pointer));
    Allocation found;
    return Allocator::get().find(pointer, found) ? found.base : nullptr;
  };
  for (uint32_t i = 0; objects && i < objects->sums; ++i) {
    const uint8_t *sums = baseOf(i);
    for (uint32_t j = objects->sums; j < objects->sums + objects->others; ++j)
      if (const uint8_t *other = baseOf(j); !sums || !other || sums == other)
        return false;
  }
  return true;
}

/// Memory for one block at a time.
bool bindBlock(Worker &worker, Op &op) {
  const KernelCode &code = *op.launch.kernel->code;
  Block &block = worker.block;
  block.launch = &op.launch.abi;
  block.currentWarp = 0;
  block.smId = worker.index % processorWorkers;
  block.shared = worker.shared.reserve(op.launch.abi.sharedBytes, 128);
  if (!block.shared)
    return failForMemory(worker, op, "shared memory", op.launch.abi.sharedBytes);
  block.warps = worker.warps;
  block.warpScratch = worker.scratch;
  if (code.deferred != DeferredKind::None && !worker.deferred)
    worker.deferred = new DeferredAdds();
  if (code.deferred != DeferredKind::None)
    worker.deferred->evictions = liesApart(op) ? 0 : DeferredEvictions;
  block.deferred = worker.deferred;
  if (code.flags & KernelWaits) {
    uint64_t bytes = code.frameBytes * code.warpsPerBlock;
    block.frameTop = worker.frames.reserve(bytes, 64);
    block.frameEnd = worker.frames.end();
    if (!block.frameTop)
      return failForMemory(worker, op, "warps' frames", bytes);
  }
  worker.currentFrames = &worker.frames;
  worker.currentFibers = &worker.fibers;
  if (!bindFibers(worker, op, worker.fibers))
    return false;
  worker.current = &block;
  return true;
}

/// Runs blocks one by one. Returns the block that cannot go on, or null.
const BlockRun *runWaitingBlocks(Worker &worker, Op &op, BlockRun &run, uint64_t first,
                                 uint64_t count) {
  const KernelCode &code = *op.launch.kernel->code;
  Block &block = worker.block;
  uint8_t *frames = block.frameTop;
  for (uint64_t i = first; i < first + count; ++i) {
    setBlockIndex(block, op.launch.abi, code, i);
    block.frameTop = frames;
    run.init(code, block, worker.fibers, op.launch.cancelled);
    BlockEnd end = run.start();
    if (end == BlockEnd::Cancelled)
      break;
    if (end != BlockEnd::Finished)
      return &run;
  }
  block.frameTop = frames;
  std::atomic_thread_fence(std::memory_order_seq_cst); // non-temporal stores (simt/stream_stores.h)
  return nullptr;
}

bool runChunk(Worker &worker, Op &op, uint64_t first, uint64_t count) {
  const KernelCode &code = *op.launch.kernel->code;
  if (code.abreast)
    return runAbreast(worker, op, first, count);
  if (!(code.flags & KernelWaits)) {
    if (runGuarded(worker, &op,
                   [&] { code.runBlocks(&op.launch.abi, &worker.block, first, count); }))
      return true;
    failLaunch(worker, op);
    return false;
  }
  BlockRun run;
  const BlockRun *stuck = nullptr;
  if (!runGuarded(worker, &op, [&] { stuck = runWaitingBlocks(worker, op, run, first, count); })) {
    failLaunch(worker, op);
    return false;
  }
  if (!stuck)
    return true;
  reportDeadlock(worker, op, *stuck);
  cancelLaunch(op);
  return false;
}

// ---------------------------------------------------------------------------------------------------
// Cooperative grids.

bool isGrid(const Op &op) {
  return op.launch.cooperative && (op.launch.kernel->code->flags & KernelNeedsGrid);
}

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

} // namespace

namespace {

/// Up to `most` blocks: from this worker's part of the grid, or the one that it helps with.
GridParts::Chunk takeChunk(LaunchState &launch, unsigned &part, uint64_t most) {
  if (launch.parts) {
    GridParts::Chunk chunk = launch.parts->take(part, most);
    launch.next.fetch_add(chunk.count, std::memory_order_relaxed);
    return chunk;
  }
  uint64_t at = launch.next.fetch_add(most, std::memory_order_relaxed);
  if (at >= launch.blocks)
    return {};
  uint64_t count = std::min(most, launch.blocks - at);
  return {launch.backwards ? launch.blocks - at - count : at, count};
}

/// What one worker has measured in a launch, in 1/16 ns. Others see it when it leaves, and of the
/// first chunk at once: a line that all write after each chunk would go from core to core.
class BlockTimes {
public:
  explicit BlockTimes(LaunchState &launch) : launch_(launch) {}
  ~BlockTimes() {
    if (!blocks_)
      return;
    launch_.timed.fetch_add(blocks_, std::memory_order_relaxed);
    launch_.timeSpent.fetch_add(spent_, std::memory_order_relaxed);
  }
  BlockTimes(const BlockTimes &) = delete;
  BlockTimes &operator=(const BlockTimes &) = delete;

  void add(uint64_t time, uint64_t blocks) {
    blocks_ += blocks;
    spent_ += time;
    last_ = std::max<uint64_t>(time / blocks, 1);
    if (!launch_.blockTime.load(std::memory_order_relaxed))
      launch_.blockTime.store(last_, std::memory_order_relaxed);
  }
  uint64_t last() const { return last_; } ///< of a block of the last chunk; 0: there was none

private:
  LaunchState &launch_;
  uint64_t blocks_ = 0, spent_ = 0, last_ = 0;
};

/// Takes blocks until none is left for this worker.
void runShare(Worker &worker, Op &op, bool grid) {
  LaunchState &launch = op.launch;
  bool onlyOne = grid || (launch.kernel->code->flags & KernelMaySpin);
  BlockTimes times(launch);
  uint64_t last = 0;
  ProcessorPlace place = launch.parts ? currentProcessor() : ProcessorPlace{0, 1};
  unsigned part = launch.parts ? launch.parts->home(place.rank, place.count) : 0;
  for (;;) {
    uint64_t taken = launch.next.load(std::memory_order_relaxed);
    if (taken >= launch.blocks)
      return;
    LaunchProgress progress = progressOf(launch, taken, times.last());
    uint64_t most = onlyOne ? 1 : schedule::chunkSize(progress, last);
    most = schedule::wholeGroups(progress, most, launch.kernel->code->abreast);
    GridParts::Chunk chunk = takeChunk(launch, part, most);
    if (!chunk.count)
      return;
    last = chunk.count;
    if (launch.blocks == 1 && !grid) {
      runChunk(worker, op, 0, 1);
      return;
    }
    uint64_t start = nowNanoseconds();
    if (!(grid ? runSlot(worker, op, chunk.first) : runChunk(worker, op, chunk.first, chunk.count)))
      return;
    times.add((nowNanoseconds() - start) * schedule::Nanosecond, chunk.count);
    // Work of other streams gets a share: this launch stays in the list, and someone comes back to
    // it.
    if (Engine::get().hasReady())
      break;
    // Workers that were not worth waking when the launch began, or had other work.
    if (Engine::get().hasIdle())
      if (Helpers helpers = helpersFor(op); helpers.count)
        Engine::get().invite(helpers);
  }
}

template <typename T> void addUp(DeferredAdds &adds) {
  const T *values = reinterpret_cast<const T *>(adds.values);
  for (uint32_t i = 0; i < std::size(adds.addresses); ++i)
    if (uint64_t address = std::exchange(adds.addresses[i], 0))
      std::atomic_ref<T>(*reinterpret_cast<T *>(address))
          .fetch_add(values[i], std::memory_order_relaxed);
}

/// What the worker has put off reaches memory.
void settle(Worker &worker, Op &op) {
  DeferredAdds *adds = worker.deferred;
  if (!adds || !adds->used)
    return;
  bool done = !op.launch.cancelled.load() && runGuarded(worker, &op, [&] {
    switch (op.launch.kernel->code->deferred) {
    case DeferredKind::None:
      break;
    case DeferredKind::Int32:
      addUp<uint32_t>(*adds);
      break;
    case DeferredKind::Int64:
      addUp<uint64_t>(*adds);
      break;
    case DeferredKind::Float:
      addUp<float>(*adds);
      break;
    case DeferredKind::Double:
      addUp<double>(*adds);
      break;
    }
  });
  if (!done) {
    std::memset(adds->addresses, 0, sizeof(adds->addresses));
    if (!op.launch.cancelled.load())
      failLaunch(worker, op);
  }
  adds->used = 0;
}

} // namespace

void runLaunch(Worker &worker, Op &op) {
  bool grid = isGrid(op);
  worker.current = nullptr;
  if (!grid && !bindBlock(worker, op))
    return;
  FloatMode mode(op.launch.kernel->code->flags & KernelFlushDenormals);
  runShare(worker, op, grid);
  settle(worker, op);
}

void cancelLaunch(Op &op) {
  op.launch.cancelled.store(true);
  op.launch.next.store(op.launch.blocks);
  unsigned count = allWorkerCount.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i)
    if (allWorkers[i] != currentWorker() && allWorkers[i]->running.load() == &op)
      kick(*allWorkers[i]);
}

bool launchIsOver(Op &op) {
  LaunchState &launch = op.launch;
  if (launch.participants > 0 || launch.next.load(std::memory_order_relaxed) < launch.blocks)
    return false;
  if (uint64_t blocks = launch.timed.load(std::memory_order_relaxed)) {
    uint64_t time = launch.timeSpent.load(std::memory_order_relaxed) / blocks;
    launch.kernel->blockTime.store(std::max<uint64_t>(time, 1), std::memory_order_relaxed);
  }
  if (GridParts *parts = std::exchange(launch.parts, nullptr))
    Engine::get().dropParts(parts);
  GridRun *grid = launch.grid;
  if (!grid)
    return true;
  uint64_t atGrid = grid->atGrid.exchange(0), ended = grid->ended.load();
  if (!launch.cancelled && atGrid > 0 && ended > 0)
    reportUnevenGrid(op, atGrid, ended);
  else if (!launch.cancelled && atGrid > 0) {
    launch.next.store(0, std::memory_order_relaxed);
    return false;
  }
  delete grid;
  launch.grid = nullptr;
  return true;
}

void prepareLaunch(Op &op) {
  LaunchState &launch = op.launch;
  if (isGrid(op)) {
    launch.grid = new GridRun(launch.blocks);
    return;
  }
  static const bool isEnabled = heddle::isEnabled("grid-parts");
  const KernelCode &code = *launch.kernel->code;
  unsigned parts = schedule::partsFor(progressOf(launch, 0));
  if (!isEnabled || parts <= 1 || (code.flags & (KernelMaySpin | KernelInOrder)))
    return;
  launch.parts = Engine::get().newParts();
  launch.parts->cut(launch.blocks, parts, std::max(code.abreast, 1u), launch.backwards);
}

Helpers helpersFor(const Op &op) {
  const LaunchState &launch = op.launch;
  if (launch.blocks <= 1)
    return {};
  LaunchProgress progress = progressOf(launch, launch.next.load(std::memory_order_relaxed));
  // However short the blocks were: the next one may wait for another.
  if (launch.kernel->code->flags & KernelMaySpin)
    progress.blockTime = 0;
  return {schedule::helpersFor(progress), !schedule::isWorthWaking(progress)};
}

} // namespace heddle::device::cpu
