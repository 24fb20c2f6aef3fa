// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for later blocks.
//
// Loops that poll give way, and blocks that poll in vain are put aside (parked.cpp). What is left
// are launches that wait for each other: kernels of several streams. All workers may be in launches
// that wait for one that is ready. So a watcher gives such a launch a worker of its own when none
// has come to it for StuckTime; a worker that polls in vain does the same at once (helpReady), also
// for a launch that its workers have left for others, such as the children of what they went to.
//
// The watcher also looks at launches of kernels that may wait for other blocks (KernelMaySpin;
// their blocks are taken one at a time) in a way that the compiler did not see. If no block of such
// a launch was taken for StuckTime, although some are left, extra workers join it, as many again as
// are in it, and the system shares the processors among them. The limit is the number of blocks
// that the device holds at once by CUDA's occupancy rules.
//
// A kernel that only looks as if it waited (a work queue with long blocks) gets more threads than
// processors, which costs little. Extra workers stay for the next launch that needs them.
#include "base/abi/debugger_abi.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/threads.h"

#include <algorithm>

namespace heddle::device::cpu {

namespace {

constexpr uint64_t StuckTime = 20'000'000; // ns
constexpr uint64_t LookTime =
    5'000'000; // ns; also how long a launch that has been stuck may be so again

bool mayBeStuck(const Op &op) {
  const LaunchState &launch = op.launch;
  uint32_t flags = launch.kernel->code->flags;
  return (flags & KernelMaySpin) && !(flags & KernelDebugged) && launch.hasBlocks();
}

} // namespace

void EngineThreads::enterSpins(Engine &engine, const Op *op) {
  if (!(op->launch.kernel->code->flags & KernelMaySpin))
    return;
  ++engine.inSpins_;
  if (std::exchange(engine.watcherAsleep_, false))
    engine.wakeSleeper(&engine.watcher_);
}

void EngineThreads::leaveSpins(Engine &engine, const Op *op) {
  if (op->launch.kernel->code->flags & KernelMaySpin)
    --engine.inSpins_;
}

/// Gives each launch that has not moved for a while more workers.
void EngineThreads::lookAtActive(Engine &engine, uint64_t now) {
  for (Op *op = engine.active_; op; op = op->nextReady) {
    LaunchState &launch = op->launch;
    if (!mayBeStuck(*op))
      continue;
    uint64_t next = launch.next.load(std::memory_order_relaxed), participants = launch.participants;
    uint64_t patience = participants > processorWorkers ? LookTime : StuckTime;
    if (launch.seenTime == 0 || launch.seenNext != next) {
      launch.seenNext = next;
      launch.seenTime = now;
    } else if (now - launch.seenTime >= patience) {
      launch.seenTime = now;
      uint64_t resident = std::max<uint64_t>(launch.residentBlocks, participants);
      uint64_t more = std::max<uint64_t>(participants, 1);
      more = std::min(more, std::min(launch.blocks - next, resident - participants));
      while (more-- > 0 && addExtra(engine, op))
        ;
    }
  }
}

/// A launch that no worker has come to for a while, because all are in launches that may wait for
/// it.
void EngineThreads::lookAtReady(Engine &engine, uint64_t now) {
  Op *op = engine.idle_ ? nullptr : engine.readyLaunches_.first();
  if (op != engine.seenReady_ || !op) {
    engine.seenReady_ = op;
    engine.seenReadyTime_ = now;
  } else if (now - engine.seenReadyTime_ >= StuckTime && addExtra(engine, op)) {
    engine.readyLaunches_.pop();
    engine.updateHint();
    engine.seenReady_ = nullptr;
  }
}

/// A launch that waits for blocks' workers to come back to it. Where all of them are in launches
/// that wait, none does.
Op *EngineThreads::firstAbandoned(Engine &engine) {
  for (Op *op = engine.active_; op; op = op->nextReady)
    if (op->launch.participants.load(std::memory_order_relaxed) == 0 && op->launch.hasBlocks())
      return op;
  engine.abandonedHint_.store(false, std::memory_order_relaxed);
  return nullptr;
}

void EngineThreads::helpReady() {
  Engine &engine = Engine::get();
  if (!engine.hasReady() && !engine.hasAbandoned())
    return;
  engine.lock();
  if (engine.idle_) {
    engine.unlock();
    return;
  }
  if (Op *op = engine.readyLaunches_.first(); op && addExtra(engine, op)) {
    engine.readyLaunches_.pop();
    engine.updateHint();
    engine.seenReady_ = nullptr;
  } else if (Op *left = op ? nullptr : firstAbandoned(engine)) {
    addExtra(engine, left);
  }
  engine.unlock();
}

bool EngineThreads::addExtra(Engine &engine, Op *op) {
  Worker *extra = static_cast<Worker *>(engine.idleExtras_);
  if (extra) {
    engine.idleExtras_ = extra->nextIdle;
    engine.wakeSleeper(extra);
  } else {
    extra =
        engine.canAddExtras_ ? startWorker(extraWorker) : nullptr; // its thread waits for the lock
    engine.canAddExtras_ = extra != nullptr;
    if (!extra)
      return false;
  }
  extra->assigned = op;
  // It counts from now on, so that the launch does not end before it comes.
  ++op->launch.participants;
  return true;
}

void *EngineThreads::watcher(void *) {
  Engine &engine = Engine::get();
  engine.lock();
  for (;;) {
    if (engine.inSpins_ == 0) {
      engine.watcherAsleep_ = true;
      sleep(engine, engine.watcher_, 0);
      continue;
    }
    uint64_t now = nowNanoseconds();
    lookAtActive(engine, now);
    lookAtReady(engine, now);
    lookForHang(engine, now);
    engine.unlock();
    timespec time = {0, static_cast<long>(LookTime)};
    nanosleep(&time, nullptr);
    engine.lock();
  }
}

void *EngineThreads::extraWorker(void *argument) {
  Worker &worker = *static_cast<Worker *>(argument);
  Engine &engine = Engine::get();
  enterThread(worker);
  engine.lock();
  for (;;) {
    if (Op *op = std::exchange(worker.assigned, nullptr))
      execute(engine, worker, op);
    worker.nextIdle = engine.idleExtras_;
    engine.idleExtras_ = &worker;
    sleep(engine, worker, 0);
  }
}

} // namespace heddle::device::cpu
