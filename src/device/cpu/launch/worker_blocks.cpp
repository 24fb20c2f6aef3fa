// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How one worker runs blocks: what a kernel needs is bound to the worker once a launch, then chunks
// of blocks run one after the other in that memory, until a fault cuts them off.
#include "device/cpu/engine/counts.h"
#include "device/cpu/launch/block_slot.h"
#include "device/cpu/launch/launch_run.h"
#include "device/cpu/memory/device_heap.h"
#include "device/cpu/schedule/shuffled.h"

#include <cstring>
#include <utility>

namespace heddle::device::cpu {

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

bool bindFibers(Worker &worker, Op &op, Fibers &fibers) {
  const KernelCode &code = *worker.form->code;
  if (!(code.flags & KernelFibers) || fibers.reserve(code.warpsPerBlock))
    return true;
  return failForMemory(worker, op, "stacks, one for each thread of a block",
                       code.warpsPerBlock * Fibers::StackBytes);
}

namespace {

/// What the worker's form is told of the launch. Another form may need more static shared memory
/// than the one that the launch was made for.
const Launch &launchFor(Worker &worker, const Op &op) {
  const Launch &launch = op.launch.abi;
  uint32_t bytes = sharedBytesOf(*worker.form->code, launch.dynamicSharedBytes);
  if (bytes == launch.sharedBytes)
    return launch;
  worker.launchOfForm = launch;
  worker.launchOfForm.sharedBytes = bytes;
  return worker.launchOfForm;
}

} // namespace

bool takeForm(Worker &worker, Op &op, const KernelInfo &form) {
  if (worker.form == &form)
    return true;
  settle(worker, op);
  worker.form = &form;
  return bindBlock(worker, op);
}

bool bindBlock(Worker &worker, Op &op) {
  const KernelCode &code = *worker.form->code;
  Block &block = worker.block;
  const Launch &launch = launchFor(worker, op);
  block.launch = &launch;
  block.currentWarp = 0;
  placeBlock(worker, op, block);
  worker.sharedMeetsGuard = worker.form->blockTime.load(std::memory_order_relaxed) == 0;
  block.shared = block.clusterShared[0] =
      reserveShared(worker.shared, launch, code, worker.sharedMeetsGuard);
  if (!block.shared)
    return failForMemory(worker, op, "shared memory", launch.sharedBytes);
  bindCounted(op, block, worker.index);
  block.warps = worker.warps;
  block.warpScratch = worker.scratch;
  bindDeferred(worker, launch);
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

namespace {

/// Runs blocks one by one. Returns the block that cannot go on, or null.
const BlockRun *runWaitingBlocks(Worker &worker, Op &op, BlockRun &run, uint64_t first,
                                 uint64_t count) {
  const KernelCode &code = *worker.form->code;
  Block &block = worker.block;
  uint8_t *frames = block.frameTop;
  for (uint64_t i = first; i < first + count && !op.launch.cancelled.load(); ++i) {
    setBlockIndex(block, op.launch.abi, code, i);
    block.frameTop = frames;
    beginShared(block);
    if (code.counted)
      blockBegins(block, i, worker.index);
    run.init(code, block, worker.fibers, op.launch.cancelled, /*isAlone=*/true,
             &worker.form->patience);
    BlockEnd end = run.start();
    if (code.counted)
      blockEnds(block);
    if (end == BlockEnd::Cancelled)
      break;
    if (end != BlockEnd::Finished)
      return &run;
  }
  block.frameTop = frames;
  std::atomic_thread_fence(std::memory_order_seq_cst); // non-temporal stores (simt/stream_stores.h)
  return nullptr;
}

/// The first blocks of a kernel have shown no access beyond shared memory; later ones are faster.
void leaveGuard(Worker &worker) {
  Block &block = worker.block;
  if (std::exchange(worker.sharedMeetsGuard, false))
    block.shared = block.clusterShared[0] = block.shared - sharedAlignOf(*worker.form->code);
}

/// Blocks that do not wait. One by one where their shared memory has a shadow, or they are counted.
void runFreely(Worker &worker, uint64_t first, uint64_t count) {
  const KernelCode &code = *worker.form->code;
  Block &block = worker.block;
  bool isCounted = cpu::isCounted(block) && code.counted;
  if ((!sharedShadowOf(*block.launch) || !block.launch->sharedBytes) && !isCounted)
    return code.runBlocks(block.launch, &block, first, count);
  for (uint64_t i = first; i < first + count; ++i) {
    beginShared(block);
    if (isCounted)
      blockBegins(block, i, worker.index);
    code.runBlocks(block.launch, &block, i, 1);
    if (isCounted)
      blockEnds(block);
  }
}

/// Of checked code only the block that faulted ends: what checks find in others must not depend on
/// which of them came first.
bool endsAlone(const Worker &worker, const Op &op) {
  const LaunchState &launch = op.launch;
  const KernelCode &code = *worker.form->code;
  return launch.checked && worker.record.fault == Fault::IllegalAddress && !launch.cooperative &&
         launch.clusterBlocks <= 1 && !(code.flags & KernelMaySpin) && code.together == 1 &&
         code.neighbours == 1 && worker.current;
}

/// How blocks have come to their end.
enum class Run : uint8_t { Done, Failed, CutOff };

Run runUntilFault(Worker &worker, Op &op, uint64_t first, uint64_t count) {
  const KernelCode &code = *worker.form->code;
  if (code.abreast)
    return runAbreast(worker, op, first, count) ? Run::Done : Run::Failed;
  if (!(code.flags & KernelWaits)) {
    bool isDone = runGuarded(worker, &op, [&] {
      if (!op.launch.cancelled.load())
        runFreely(worker, first, count);
    });
    return isDone ? Run::Done : Run::CutOff;
  }
  BlockRun run;
  const BlockRun *stuck = nullptr;
  if (!runGuarded(worker, &op, [&] { stuck = runWaitingBlocks(worker, op, run, first, count); }))
    return Run::CutOff;
  if (!stuck)
    return Run::Done;
  reportDeadlock(worker, op, *stuck);
  cancelLaunch(op);
  return Run::Failed;
}

/// The block behind the one that the worker runs.
uint64_t nextBlock(const Worker &worker, const Op &op) {
  const uint32_t *index = worker.block.blockIdx, *grid = op.launch.abi.gridDim;
  return index[0] + uint64_t(grid[0]) * (index[1] + uint64_t(grid[1]) * index[2]) + 1;
}

bool runBlocks(Worker &worker, Op &op, uint64_t first, uint64_t count) {
  for (uint64_t end = first + count;;) {
    Run run = runUntilFault(worker, op, first, end - first);
    if (run != Run::CutOff)
      return run == Run::Done;
    if (!endsAlone(worker, op)) {
      failLaunch(worker, op);
      return false;
    }
    if (worker.lockedHeap)
      std::exchange(worker.lockedHeap, nullptr)->recover();
    reportFault(worker, op);
    uint64_t next = nextBlock(worker, op);
    if (!bindBlock(worker, op))
      return false;
    if (next <= first || next >= end)
      return true;
    first = next;
  }
}

} // namespace

// Legality (another order):
//  1. No block waits for one that has begun before it. [waits]
//  2. One call runs one block. [together]

/// Blocks that come in another order (shuffled.h), of checked code.
static bool mayShuffle(const Worker &worker, const Op &op) {
  const KernelCode &code = *worker.form->code;
  return orderSeed && op.launch.checked && !(code.flags & KernelMaySpin) && code.together == 1 &&
         code.neighbours == 1;
}

bool runChunk(Worker &worker, Op &op, uint64_t first, uint64_t count) {
  bool isDone = true;
  if (mayShuffle(worker, op)) {
    for (uint64_t i = first; isDone && i < first + count; ++i)
      isDone = runBlocks(worker, op, shuffled(i, op.launch.blocks, orderSeed), 1);
  } else {
    isDone = runBlocks(worker, op, first, count);
  }
  leaveGuard(worker);
  return isDone;
}

} // namespace heddle::device::cpu
