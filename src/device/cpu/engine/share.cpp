// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host work in pieces: large copies and fills. The thread whose work it is (the program's own, a
// worker, the copier) takes pieces from a counter, and so do workers that find nothing else. It
// never waits for anybody to come, only for those who are inside to finish their last piece; so it
// cannot get stuck, whatever the workers do.
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/threads.h"

#include <algorithm>

namespace heddle::device {

namespace cpu {

namespace {

void runPieces(SharedWork &work) {
  for (;;) {
    uint64_t piece = work.next.fetch_add(1, std::memory_order_relaxed);
    if (piece >= work.pieces)
      return;
    work.body(work.context, piece);
  }
}

} // namespace

void EngineThreads::removeShared(Engine &engine, SharedWork &work) {
  for (SharedWork **link = &engine.shared_; *link; link = &(*link)->nextShared)
    if (*link == &work) {
      *link = work.nextShared;
      return;
    }
}

void EngineThreads::share(Engine &engine, SharedWork &work) {
  engine.lock();
  work.nextShared = engine.shared_;
  engine.shared_ = &work;
  engine.wakeWorkers(
      {static_cast<uint32_t>(std::min<uint64_t>(work.pieces - 1, engine.workerCount()))});
  engine.unlock();
  runPieces(work);
  engine.lock();
  removeShared(engine, work);
  if (work.helpers > 0) {
    work.ownerWaits = true;
    constexpr uint64_t DozeTime = 50'000;
    sleep(engine, work.owner, DozeTime);
  }
  engine.unlock();
}

bool EngineThreads::helpShared(Engine &engine) {
  SharedWork *work = engine.shared_;
  if (!work)
    return false;
  ++work->helpers;
  engine.unlock();
  runPieces(*work);
  engine.lock();
  removeShared(engine, *work);
  if (--work->helpers == 0 && work->ownerWaits)
    engine.wakeSleeper(&work->owner);
  return true;
}

} // namespace cpu

void shareWork(uint64_t pieces, void (*body)(void *, uint64_t), void *context) {
  cpu::Engine &engine = cpu::Engine::get();
  if (pieces == 0)
    return;
  if (pieces == 1)
    return body(context, 0);
  engine.start();
  cpu::SharedWork work;
  work.body = body;
  work.context = context;
  work.pieces = pieces;
  cpu::EngineThreads::share(engine, work);
}

} // namespace heddle::device
