// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for later blocks.
//
// A GPU runs as many blocks at once as fit on it, and programs count on it: barriers over the grid
// made of an atomic counter, a block that waits for a flag of a later one. With a worker a
// processor such a program would hang as soon as each worker has a block that waits. So a watcher
// looks at launches of kernels that may wait so (KernelMaySpin; their blocks are taken one at a
// time). If no block of such a launch was taken for StuckTime, although some are left, extra
// workers join it, as many again as are in it: the waiting blocks keep their threads, the new
// threads run other blocks, and the system shares the processors among them. Compiled loops that
// only wait give way (simt/spin.h). The limit is the number of blocks that the device holds at once
// by CUDA's occupancy rules; a program that needs more would hang on the GPU too.
//
// Rejected: stacks that the engine switches itself. Compiled code would have to give way at each
// turn of a loop, and thread-local state of libm and of the handlers would move between threads.
//
// A kernel that only looks as if it waited (a work queue with long blocks) gets more threads than
// processors, which costs little. Extra workers stay for the next launch that needs them.
#include "device/cpu/cpu_device.h"
#include "device/cpu/threads.h"

#include <algorithm>

namespace heddle::device::cpu {

namespace {

constexpr uint64_t StuckTime = 20'000'000; // ns
constexpr uint64_t LookTime =
    5'000'000; // ns; also how long a launch that has been stuck may be so again

bool mayBeStuck(const Op &op) {
  const LaunchState &launch = op.launch;
  return (launch.kernel->code->flags & KernelMaySpin) && launch.grid == nullptr &&
         launch.next.load(std::memory_order_relaxed) < launch.blocks;
}

} // namespace

/// A launch that may get stuck has become active.
void EngineThreads::watch(Engine &engine) {
  if (std::exchange(engine.watcherAsleep_, false))
    engine.wakeSleeper(&engine.watcher_);
}

/// Gives each launch that has not moved for StuckTime more workers. Returns how many launches there
/// are to watch.
uint64_t EngineThreads::lookAtLaunches(Engine &engine) {
  uint64_t watched = 0, now = nowNanoseconds();
  for (Op *op = engine.active_; op; op = op->nextReady) {
    LaunchState &launch = op->launch;
    if (!mayBeStuck(*op))
      continue;
    ++watched;
    uint64_t next = launch.next.load(std::memory_order_relaxed);
    if (launch.seenTime == 0 || launch.seenNext != next) {
      launch.seenNext = next;
      launch.seenTime = now;
    } else if (now - launch.seenTime >=
               (launch.participants > processorWorkers ? LookTime : StuckTime)) {
      launch.seenTime = now;
      uint64_t resident = std::max<uint64_t>(launch.residentBlocks, launch.participants);
      uint64_t more = std::max<uint64_t>(launch.participants, 1);
      more = std::min(more, std::min(launch.blocks - next, resident - launch.participants));
      addExtras(engine, op, more);
    }
  }
  return watched;
}

void EngineThreads::addExtras(Engine &engine, Op *op, uint64_t count) {
  for (; count > 0; --count) {
    Worker *extra = static_cast<Worker *>(engine.idleExtras_);
    if (extra) {
      engine.idleExtras_ = extra->nextIdle;
      extra->assigned = op;
      engine.wakeSleeper(extra);
    } else {
      extra = engine.canAddExtras_ ? startWorker(extraWorker) : nullptr;
      engine.canAddExtras_ = extra != nullptr;
      if (!extra)
        return;
      extra->assigned = op; // its thread waits for the lock
    }
    ++op->launch.participants;
  }
}

void *EngineThreads::watcher(void *) {
  Engine &engine = Engine::get();
  engine.lock();
  for (;;) {
    if (lookAtLaunches(engine) == 0) {
      engine.watcherAsleep_ = true;
      sleep(engine, engine.watcher_, 0);
    } else {
      engine.unlock();
      timespec time = {0, static_cast<long>(LookTime)};
      nanosleep(&time, nullptr);
      engine.lock();
    }
  }
}

void *EngineThreads::extraWorker(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Engine &engine = Engine::get();
  enterThread(worker);
  engine.lock();
  for (;;) {
    while (Op *op = std::exchange(worker.assigned, nullptr)) {
      engine.unlock();
      runLaunch(worker, *op);
      engine.lock();
      leave(engine, op);
    }
    worker.nextIdle = engine.idleExtras_;
    engine.idleExtras_ = &worker;
    sleep(engine, worker, 0);
  }
}

} // namespace heddle::device::cpu
