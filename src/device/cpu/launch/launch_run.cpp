// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How workers share a launch. Each takes chunks of blocks from its own part of the grid, then from
// those of others (grid_parts.h), until none is left; schedule.h decides how many at a time. Where
// blocks may wait for each other, or print, all take from one counter, in order: then a block that
// waits for a flag of an earlier block makes progress. A kernel whose blocks may wait for each
// other gets one block at a time (see also stuck.cpp).
//
// Legality (grid-parts):
//  1. No block of the kernel may wait for another one: it could wait for one that comes later.
//     [waits]
//  2. The kernel does not print: its blocks had better come in order. [prints]
#include "device/cpu/launch/launch_run.h"

#include "base/machine/processors.h"
#include "base/switches.h"
#include "device/checks.h"
#include "device/cpu/block/block_runner.h"
#include "device/cpu/engine/counts.h"
#include "device/cpu/launch/float_mode.h"
#include "device/cpu/schedule/grid_parts.h"
#include "device/cpu/schedule/schedule.h"
#include "device/cpu/waiting/parked.h"
#include "device/kernel_forms.h"

#include <algorithm>
#include <utility>

namespace heddle::device::cpu {

namespace {

/// `left`: blocks that nobody has taken; `time`: of a block, as this worker has measured it, 0: not
/// yet.
LaunchProgress progressOf(const LaunchState &launch, uint64_t left, uint64_t time = 0) {
  unsigned joined = launch.participants.load(std::memory_order_relaxed) + Engine::get().arriving();
  if (!time)
    time = launch.blockTime.load(std::memory_order_relaxed);
  if (!time)
    time = launch.kernel->blockTime.load(std::memory_order_relaxed);
  return {left, processorWorkers, joined, time, Engine::get().hasDozing()};
}

/// Blocks that nobody has taken, and of parts that are not through those that were. 0: none, or the
/// launch is cancelled.
uint64_t blocksLeft(const LaunchState &launch) {
  uint64_t next = launch.next.load(std::memory_order_relaxed);
  return next < launch.blocks ? launch.blocks - next : 0;
}

/// Up to `most` blocks: from this worker's part of the grid, or the one that it helps with.
GridParts::Chunk takeChunk(LaunchState &launch, unsigned &part, uint64_t most) {
  if (launch.parts) {
    GridParts::Chunk chunk = launch.parts->take(part, most);
    if (chunk.through)
      launch.next.fetch_add(chunk.through, std::memory_order_release);
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

/// Blocks that had better be taken together.
uint64_t groupOf(const KernelCode &code) { return std::max({code.abreast, code.neighbours, 1u}); }

/// Runs those blocks of a chunk that are counted in counted code, and the others in plain code.
bool runSampled(Worker &worker, Op &op, GridParts::Chunk chunk) {
  LaunchState &launch = op.launch;
  for (uint64_t i = 0, count; i < chunk.count; i += count) {
    bool areCounted;
    count = runOfBlocks(op, chunk.first + i, chunk.count - i, areCounted);
    if (!takeForm(worker, op, areCounted ? *launch.kernel : *launch.rest) ||
        !runChunk(worker, op, chunk.first + i, count))
      return false;
  }
  return true;
}

/// Of checked code of which only some blocks are alike: those that are run in faster code once one of
/// them has shown nothing.
bool runPartlyAlike(Worker &worker, Op &op, GridParts::Chunk chunk) {
  LaunchState &launch = op.launch;
  auto isAlike = [&](uint64_t number) {
    uint32_t index[3];
    findBlockIndex(index, launch.abi, *launch.kernel->code, number);
    return launch.restBlocks.contains(index);
  };
  for (uint64_t i = 0, count; i < chunk.count; i += count) {
    bool areAlike = isAlike(chunk.first + i), takesRest = areAlike && launch.takesRest;
    bool isTried = areAlike && !takesRest;
    for (count = 1; !isTried && i + count < chunk.count; ++count)
      if (isAlike(chunk.first + i + count) != areAlike)
        break;
    if (!takeForm(worker, op, takesRest ? *launch.rest : *launch.kernel) ||
        !runChunk(worker, op, chunk.first + i, count))
      return false;
    if (isTried)
      endTrial(launch);
  }
  return true;
}

/// Runs a chunk in the form whose turn it is. False if the launch has failed.
bool runTurn(Worker &worker, Op &op, GridParts::Chunk chunk, BlockTimes &times,
             uint64_t launches = 1) {
  LaunchState &launch = op.launch;
  if (isSampled(op))
    return runSampled(worker, op, chunk);
  if (launch.rest && launch.checked && !launch.restBlocks.isWhole(launch.abi.gridDim))
    return runPartlyAlike(worker, op, chunk);
  KernelForms::Turn turn = {launch.takesRest ? launch.rest : launch.kernel};
  if (launch.forms)
    turn = launch.forms->next(*launch.kernel, launch.abi);
  if (!takeForm(worker, op, *turn.form))
    return false;
  // While forms are compared, what else runs on the processor must not count.
  uint64_t (*const now)() = turn.isMeasured ? threadNanoseconds : nowNanoseconds;
  uint64_t start = now();
  if (!runChunk(worker, op, chunk.first, chunk.count))
    return false;
  uint64_t time = (now() - start) * schedule::Nanosecond;
  if (launch.checked && isTrial(launch)) {
    endTrial(launch);
    return true; // the time is not that of the others
  }
  if (!turn.isCandidate)
    times.add(time, chunk.count);
  if (launch.forms)
    launch.forms->report(turn, time, chunk.count, launches);
  return true;
}

/// A launch of one block. Not each is measured: looking at the clock takes as long as a short one.
void runSingle(Worker &worker, Op &op, BlockTimes &times) {
  constexpr uint64_t Launches = 8;
  const LaunchState &launch = op.launch;
  bool isShort =
      launch.kernel->blockTime.load(std::memory_order_relaxed) < schedule::FirstChunkTime;
  if (!launch.forms || (isShort && launch.abi.launchId % Launches))
    runChunk(worker, op, 0, 1);
  else
    runTurn(worker, op, {0, 1}, times, isShort ? Launches : 1);
}

/// Takes blocks until none is left for this worker.
void runShare(Worker &worker, Op &op) {
  LaunchState &launch = op.launch;
  bool onlyOne = launch.kernel->code->flags & KernelMaySpin;
  BlockTimes times(launch);
  uint64_t last = 0;
  ProcessorPlace place = launch.parts ? currentProcessor() : ProcessorPlace{0, 1};
  unsigned part = launch.parts ? launch.parts->home(place.rank, place.count) : 0;
  for (;;) {
    uint64_t left = blocksLeft(launch);
    if (left && launch.parts)
      left = launch.parts->guessLeft(part, left);
    if (!left)
      return;
    LaunchProgress progress = progressOf(launch, left, times.last());
    uint64_t most =
        onlyOne || (launch.checked && isTrial(launch)) ? 1 : schedule::chunkSize(progress, last);
    if (!onlyOne)
      most =
          schedule::asLanes(launch.blocks, progress.workers, most, launch.kernel->code->neighbours);
    most = schedule::wholeGroups(progress, most, groupOf(*launch.kernel->code));
    GridParts::Chunk chunk = takeChunk(launch, part, most);
    if (!chunk.count)
      return;
    last = chunk.count;
    if (launch.blocks == 1)
      return runSingle(worker, op, times);
    if (!runTurn(worker, op, chunk, times))
      return;
    // Work of other streams gets a share: this launch stays in the list, and someone comes back to
    // it. Not so of one who came for this launch only.
    if (Engine::get().hasReady() && !worker.isExtra)
      break;
    // Workers that were not worth waking when the launch began, or had other work.
    if (Engine::get().hasIdle())
      if (Helpers helpers = helpersFor(op); helpers.count)
        Engine::get().invite(helpers);
  }
}

} // namespace

void runLaunch(Worker &worker, Op &op) {
  bool parks = mayPark(op);
  worker.current = nullptr;
  worker.form = op.launch.kernel;
  if (!parks && !bindBlock(worker, op))
    return;
  FloatMode mode(op.launch.kernel->code->flags & KernelFlushDenormals);
  if (parks)
    return runParkable(worker, op);
  runShare(worker, op);
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
  if (launch.hasBlocks())
    return false;
  if (uint64_t blocks = launch.timed.load(std::memory_order_relaxed)) {
    uint64_t time = launch.timeSpent.load(std::memory_order_relaxed) / blocks;
    launch.kernel->blockTime.store(std::max<uint64_t>(time, 1), std::memory_order_relaxed);
  }
  if (GridParts *parts = std::exchange(launch.parts, nullptr))
    Engine::get().dropParts(parts);
  endParked(op);
  bool isOver = !launch.grid || gridIsOver(op);
  if (isOver && launch.checked)
    checker()->launchOver(&launch.abi);
  if (isOver)
    endCounted(op);
  return isOver;
}

/// One worker runs all blocks.
static bool comesInOrder(const KernelCode &code) {
  return code.flags & (KernelDebugged | KernelSequential);
}

uint64_t prepareLaunch(Op &op, bool hasTeam) {
  LaunchState &launch = op.launch;
  if (isGrid(op)) {
    launch.grid = newGrid(launch.blocks);
    return 1;
  }
  static const bool isEnabled = heddle::isEnabled("grid-parts");
  const KernelCode &code = *launch.kernel->code;
  if (comesInOrder(code))
    return 1;
  LaunchProgress progress = progressOf(launch, launch.blocks);
  progress.isOneDozing |= hasTeam;
  unsigned parts = schedule::partsFor(progress);
  if (isEnabled && parts > 1 && !mayPark(op) && !(code.flags & (KernelMaySpin | KernelInOrder))) {
    launch.parts = Engine::get().newParts();
    launch.parts->cut(launch.blocks, parts, groupOf(code), launch.backwards);
  }
  return schedule::worthWorkers(progress);
}

bool isTeamwork(const Op &op) {
  static const bool isEnabled = heddle::isEnabled("teams");
  return isEnabled && op.launch.blocks > 1 && !op.launch.cooperative && !mayPark(op) &&
         !(op.launch.kernel->code->flags & (KernelMaySpin | KernelSequential));
}

Helpers helpersFor(const Op &op) {
  const LaunchState &launch = op.launch;
  if (launch.blocks <= 1 || comesInOrder(*launch.kernel->code))
    return {};
  LaunchProgress progress = progressOf(launch, blocksLeft(launch));
  // However short the blocks were: the next one may wait for another.
  if (launch.kernel->code->flags & KernelMaySpin)
    progress.blockTime = 0;
  if (!progress.isOneDozing && Engine::get().hasIdle())
    progress.launches = op.queue->enqueued.load(std::memory_order_relaxed) -
                        op.queue->completed.load(std::memory_order_relaxed);
  return {schedule::helpersFor(progress), !schedule::isWorthWaking(progress)};
}

} // namespace heddle::device::cpu
