// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers that stay together from launch to launch.
//
// Programs launch small grids one after the other: the diagonals of a matrix, the levels of a
// graph, the steps of a simulation. A worker that found no block left would leave the launch at the
// engine's lock, go to the list of idle ones and doze there, be woken by who takes the next launch,
// and come to the lock again to join it: some sixteen cache lines that go from core to core and
// back, 2 us a launch. So it leaves a launch that others are still in by a subtraction, and waits
// beside it for WaitTime. The last to leave comes to the lock, ends the launch, takes the next one,
// and gives it to those of its team who wait, by one word of each.
//
// Who waits is in no list. A team are neighbours, few enough that each may look at all the others'
// words, which stay in its cache until they change. Who waits goes to the lock by itself when the
// time is over, when an operation is ready that nobody takes, or when it is dismissed since there
// is no next launch.
//
// Legality (teams): none: who waits for a launch is all that changes. A launch whose blocks may
// wait for each other, which wants all workers, is left to the engine's lock.
#include "device/cpu/engine/threads.h"

#include <algorithm>

namespace heddle::device::cpu {

namespace {

constexpr unsigned TeamSize = 16;
constexpr uint64_t WaitTime = 5'000; // ns; as long as the last chunk of another may take

/// Those of its team but the worker itself.
template <typename F> void forTeam(const Worker &worker, F &&f) {
  unsigned first = worker.index / TeamSize * TeamSize;
  unsigned count = std::min(processorWorkers, allWorkerCount.load(std::memory_order_acquire));
  for (unsigned i = first; i < std::min(first + TeamSize, count); ++i)
    if (i != worker.index && !worker.isExtra)
      f(*allWorkers[i]);
}

} // namespace

bool hasTeam(const Worker &worker) {
  bool has = false;
  forTeam(worker, [&](const Worker &other) {
    has |= other.nextLaunch.load(std::memory_order_relaxed) == Waiting;
  });
  return has;
}

void EngineThreads::callTeam(Worker &worker, Op *op, uint64_t wanted) {
  std::atomic<uint32_t> &participants = op->launch.participants;
  forTeam(worker, [&](Worker &other) {
    if (participants.load(std::memory_order_relaxed) < wanted)
      callToLaunch<Machine>(participants, other.nextLaunch, reinterpret_cast<uintptr_t>(op));
  });
}

void EngineThreads::dismissTeam(Worker &worker) {
  forTeam(worker, [](Worker &other) { giveNext<Machine>(other.nextLaunch, Dismissed); });
}

Op *EngineThreads::waitForNext(Engine &engine, Worker &worker) {
  uintptr_t next =
      awaitNext<Machine>(worker.nextLaunch, WaitTime, [&] { return engine.hasReady(); });
  return next >= FirstOp ? reinterpret_cast<Op *>(next) : nullptr;
}

} // namespace heddle::device::cpu
