// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that poll for other blocks. A GPU runs as many blocks at once as fit on it, and programs
// rely on that: grid barriers made of an atomic counter, a block that polls a flag of a later one.
// Here a block whose warps all poll in vain (BlockEnd::Idle) is put aside, with its memory, and its
// worker takes another: a new one, or the one that was put aside first. So a few workers run any
// number of blocks, and only memory bounds how many are alive.
//
// - A worker with nothing else to do keeps polling with its block. Others first poll a little
//   (CloseTurns): what is polled for mostly comes soon, from another processor.
// - New and parked blocks take turns, so that a grid of a million blocks, of which each eight wait
//   for each other, never has a million alive; and a block that is polled for may be a new one.
// - A block that runs from barrier to barrier for long (BlockEnd::Paused) is put aside as well.
// - When a whole round was in vain, the worker gives its processor away, for longer each time. But
//   a loop may look like a poll and compute (`while (!*stop) x = f(x);`): as long as blocks change
//   from round to round, no worker sleeps.
// - A worker that polls in vain has other launches started (EngineThreads::helpReady), which it may
//   be waiting for.
//
// Rejected: a thread for each block that polls, scheduled by the system. It takes a thread switch
// and a stack for each block, and systems bound the number of threads.
#include "device/cpu/waiting/parked.h"

#include "device/checks.h"
#include "device/cpu/engine/checks.h"
#include "device/cpu/engine/threads.h"
#include "device/cpu/launch/grid_run.h"
#include "device/cpu/launch/launch_run.h"
#include "device/cpu/waiting/hang.h"

#include <algorithm>
#include <cstdio>

namespace heddle::device::cpu {

namespace {

constexpr uint32_t CloseTurns = 24;

/// How many blocks may be put aside, so that others need not go without memory: each has some
/// pages, and each piece of memory with guards around it is one of the mappings that the system
/// counts (vm.max_map_count, 65,530).
uint64_t mostParked(const Op &op) {
  static const uint64_t mappings = [] {
    unsigned long long count = 65530;
    if (FILE *file = fopen("/proc/sys/vm/max_map_count", "r")) {
      if (fscanf(file, "%llu", &count) != 1)
        count = 65530;
      fclose(file);
    }
    return uint64_t(count);
  }();
  static const uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * pageBytes();
  const KernelCode &code = *op.launch.kernel->code;
  uint64_t stacks = code.flags & KernelFibers ? code.warpsPerBlock : 0;
  uint64_t bytes = op.launch.abi.sharedBytes + code.frameBytes * code.warpsPerBlock +
                   (4 + 2 * stacks) * pageBytes();
  uint64_t most = std::min(memory / 4 / bytes, mappings / 3 / (4 + 2 * stacks));
  most /= op.launch.clusterBlocks;
  return std::max<uint64_t>(most, processorWorkers);
}

/// How a worker waits for what its blocks poll for.
class Patience {
public:
  /// A block got on.
  void renew() { turns_ = rounds_ = 0; }
  /// A block polled in vain, one of `blocks` that this worker goes round. `computes`: it has
  /// changed meanwhile, so it needs the processor. (A loop that seems to poll may be a search that
  /// others cut short. Beside other programs each turn given away costs it milliseconds.)
  void turn(uint64_t blocks, bool computes = false) {
    pauseCpu();
    if (++turns_ < blocks)
      return;
    turns_ = 0;
    ++rounds_;
    if (rounds_ % RoundsPerYield == 0)
      EngineThreads::helpReady();
    if (computes)
      return;
    if (hasWaitedLong()) {
      timespec time = {0, std::min<long>(LongestSleep, long(rounds_ - ShortRounds + 1) * 1000)};
      nanosleep(&time, nullptr);
    } else if (rounds_ % RoundsPerYield == 0) {
      sched_yield();
    }
  }
  bool hasWaitedLong() const { return rounds_ >= ShortRounds; }
  /// The next round ends with others' turn.
  bool isNearYield() const { return rounds_ % RoundsPerYield == RoundsPerYield - 1; }

private:
  static constexpr uint32_t RoundsPerYield = 16, ShortRounds = 1024;
  static constexpr long LongestSleep = 100'000; // ns
  uint64_t turns_ = 0;
  uint32_t rounds_ = 0;
};

ParkedBlocks *parkedOf(const Op &op) { return op.launch.parked.load(std::memory_order_acquire); }

void park(Op &op, BlockSlot *slot) {
  ParkedBlocks *parked = parkedOf(op);
  if (!parked) {
    auto *fresh = new ParkedBlocks;
    if (op.launch.parked.compare_exchange_strong(parked, fresh, std::memory_order_acq_rel))
      parked = fresh;
    else
      delete fresh;
  }
  if (!std::exchange(slot->wasParked, true))
    parked->unfinished.fetch_add(1, std::memory_order_relaxed);
  parked->put(slot);
}

/// Blocks were put aside, and are there or with a worker.
bool hasUnfinished(const Op &op) {
  const ParkedBlocks *parked = parkedOf(op);
  return parked && parked->unfinished.load(std::memory_order_relaxed) > 0;
}

bool hasNew(const Op &op) {
  const LaunchState &launch = op.launch;
  if (launch.next.load(std::memory_order_relaxed) >= launch.blocks)
    return false;
  const ParkedBlocks *parked = parkedOf(op);
  return launch.grid || !parked ||
         parked->unfinished.load(std::memory_order_relaxed) < mostParked(op);
}

/// A block that nobody has taken. `failed`: there is no memory for it.
BlockSlot *takeNew(Worker &worker, Op &op, bool &failed) {
  LaunchState &launch = op.launch;
  while (hasNew(op)) {
    uint64_t index = launch.next.fetch_add(1, std::memory_order_relaxed);
    if (index >= launch.blocks)
      break;
    BlockSlot *slot = launch.grid ? &launch.grid->slots[index] : takeSpareSlot(worker);
    if (launch.grid && (slot->over || slot->entry != BlockSlot::Entry::Start)) {
      if (slot->over)
        continue;
      return slot;
    }
    if (setUpSlot(worker, op, *slot, index))
      return slot;
    if (!launch.grid)
      giveSpareSlot(worker, slot);
    failed = true;
    break;
  }
  return nullptr;
}

/// One new block, then two that were put aside. Those that gather for a debugger all begin first.
BlockSlot *takeNext(Worker &worker, Op &op, uint32_t &turn, bool &failed) {
  ParkedBlocks *parked = parkedOf(op);
  bool gathers = op.launch.kernel->code->flags & KernelDebugged;
  bool newFirst = gathers || turn++ % 3 == 0;
  BlockSlot *slot = !parked || newFirst ? takeNew(worker, op, failed) : nullptr;
  if (!slot && !failed && parked)
    slot = parked->take();
  if (!slot && !failed && !newFirst)
    slot = takeNew(worker, op, failed);
  return slot;
}

/// Whether there is another block to go on with.
bool hasOthers(const Op &op) {
  const ParkedBlocks *parked = parkedOf(op);
  return (parked && parked->waiting()) || hasNew(op);
}

/// Those who check the launch know that its blocks, all of which poll in vain, will do so for ever.
bool isForever(const Op &op, BlockSlot &slot) {
  if (!op.launch.checked)
    return false;
  std::vector<const Block *> blocks;
  forEachBlock(slot, [&](BlockSlot &block) {
    if (!block.over)
      blocks.push_back(&block.block), slot.stuck = &block;
  });
  return checker()->waitsForEver(blocks.data(), blocks.size());
}

/// Goes on with a block, and polls with it as long as that is the best there is to do.
std::optional<BlockEnd> runTurn(Worker &worker, Op &op, BlockSlot &slot, Patience &patience) {
  for (uint32_t vain = 0;;) {
    bool gotOn;
    std::optional<BlockEnd> end = enterSlot(worker, op, slot, gotOn);
    if (!end || *end != BlockEnd::Idle) {
      noteTurn(worker, true);
      patience.renew();
      if (end == BlockEnd::Paused && !hasOthers(op))
        continue;
      return end;
    }
    if (isForever(op, slot))
      return BlockEnd::Deadlock;
    bool isLate = patience.hasWaitedLong();
    bool changed = mustLook(slot, isLate || patience.isNearYield()) && hasChanged(op, slot);
    gotOn |= changed && isLate;
    noteTurn(worker, gotOn || changed);
    if (gotOn)
      patience.renew();
    vain = gotOn ? 0 : vain + 1;
    ParkedBlocks *parked = parkedOf(op);
    uint64_t blocks = parked ? parked->waiting() + 1 : 1;
    bool others = hasOthers(op);
    if (!gotOn)
      patience.turn(blocks, changed);
    // With blocks enough to go round it comes back to this one soon.
    if (others && (vain >= CloseTurns || blocks > 8 || patience.hasWaitedLong()))
      return end;
  }
}

/// The block has come to an end of its own, or its launch has: what becomes of it. False if the
/// worker is to leave.
bool settleTurn(Worker &worker, Op &op, BlockSlot *slot, std::optional<BlockEnd> end) {
  ParkedBlocks *parked = parkedOf(op);
  GridRun *grid = op.launch.grid;
  if (end == BlockEnd::Idle || end == BlockEnd::Paused) {
    park(op, slot);
    return true;
  }
  if (end == BlockEnd::Deadlock || (end == BlockEnd::AtGrid && !grid)) {
    reportDeadlock(worker, op, slot->stuck->run);
    cancelLaunch(op);
  }
  bool goesOn = end == BlockEnd::Finished || (end == BlockEnd::AtGrid && grid);
  if (!goesOn) { // the report of a hang wants to see it
    park(op, slot);
    return false;
  }
  if (std::exchange(slot->wasParked, false))
    parked->unfinished.fetch_sub(1, std::memory_order_relaxed);
  if (!grid) {
    giveSpareSlot(worker, slot);
  } else if (end == BlockEnd::AtGrid) {
    slot->entry = BlockSlot::Entry::AfterGrid;
    grid->atGrid.fetch_add(1, std::memory_order_relaxed);
  } else {
    slot->over = true;
    grid->ended.fetch_add(1, std::memory_order_relaxed);
  }
  return true;
}

} // namespace

void ParkedBlocks::put(BlockSlot *slot) {
  std::lock_guard guard(mutex_);
  slot->next = nullptr;
  (first_ ? last_->next : first_) = slot;
  last_ = slot;
  waiting_.store(waiting() + 1, std::memory_order_relaxed);
}

BlockSlot *ParkedBlocks::take() {
  if (!waiting())
    return nullptr;
  std::lock_guard guard(mutex_);
  BlockSlot *slot = first_;
  if (!slot)
    return nullptr;
  first_ = slot->next;
  waiting_.store(waiting() - 1, std::memory_order_relaxed);
  return slot;
}

bool mayPark(const Op &op) {
  const KernelCode &code = *op.launch.kernel->code;
  return isGrid(op) || op.launch.clusterBlocks > 1 ||
         ((code.flags & KernelWaits) && (code.flags & KernelMaySpin) && !code.abreast);
}

void runParkable(Worker &worker, Op &op) {
  const LaunchState &launch = op.launch;
  Patience patience;
  uint32_t turn = 0;
  PollingWorker polling(worker);
  while (!launch.cancelled.load(std::memory_order_relaxed)) {
    bool failed = false;
    BlockSlot *slot = takeNext(worker, op, turn, failed);
    if (failed)
      break;
    if (!slot) {
      // Blocks that other workers have may come back to the list, all at once.
      if (!hasUnfinished(op) || Engine::get().hasReady())
        break;
      noteTurn(worker, false);
      patience.turn(1);
      continue;
    }
    if (!settleTurn(worker, op, slot, runTurn(worker, op, *slot, patience)))
      break;
    // Work of other streams gets a share, but for blocks that may be waited for.
    if (Engine::get().hasReady() && !hasUnfinished(op) && !worker.isExtra)
      break;
    if (!(op.launch.kernel->code->flags & KernelDebugged) && Engine::get().hasIdle() && hasNew(op))
      if (Helpers helpers = helpersFor(op); helpers.count)
        Engine::get().invite(helpers);
  }
}

void endParked(Op &op) {
  LaunchState &launch = op.launch;
  ParkedBlocks *parked = launch.parked.exchange(nullptr);
  if (launch.hangs)
    reportHang(op, parked);
  if (!parked)
    return;
  while (BlockSlot *slot = parked->take())
    if (!launch.grid)
      delete slot;
  delete parked;
}

} // namespace heddle::device::cpu
