// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits that cannot end. A GPU would wait for ever (or until its watchdog ends the launch, with
// cudaErrorLaunchTimeout). A kernel that computes must never be taken for one that waits, however
// long it takes. So a launch hangs only if all of this holds for the whole time that
// HEDDLE_HANG_SECONDS sets:
//
// - a host thread waits for the device (so, as far as can be known, the kernel does not wait for
//   the host);
// - nothing else is under way that might write what is polled for: no other kernel, copy, host
//   function or wait for another process, and no memory is shared with one;
// - every worker in a launch runs blocks that poll, and no block made progress: no warp left its
//   loop, entered one anew or reached a barrier, no block began or ended, none has read a clock (a
//   poll may be bounded in time);
// - nothing has changed: the warps' frames, shared memory, and all memory that CUDA calls have
//   allocated. A loop may look like a poll and compute.
//
// The watcher (stuck.cpp) looks Looks times in that time. Workers examine the blocks that they run,
// when all their warps wait; each look of the watcher starts an epoch, in which each block is
// examined once. Memory is read through /proc/self/mem, because it may be freed meanwhile.
//
// Only the workers know the blocks' state. So the launch is cancelled, the workers put their blocks
// aside and leave it, and the last one reports (endParked).
#include "device/cpu/waiting/hang.h"

#include "base/hash.h"
#include "device/cpu/engine/services.h"
#include "device/cpu/engine/threads.h"
#include "device/cpu/launch/grid_run.h"
#include "device/cpu/memory/allocator.h"

#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::device::cpu {

namespace {

constexpr uint64_t DefaultSeconds = 30, Looks = 8;

std::atomic<uint64_t> lookEpoch{1};

void increment(std::atomic<uint64_t> &counter) { // of one writer
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void addTo(uint64_t &digest, const void *data, size_t bytes) {
  Hash128 hash = hashOf(std::span(static_cast<const uint8_t *>(data), bytes));
  digest = (digest ^ hash.low) * 0x9e3779b97f4a7c15 + hash.high;
}

/// All memory that CUDA calls have allocated, as it is now.
uint64_t digestOfMemory() {
  constexpr size_t Piece = 1 << 20;
  static std::vector<uint8_t> *buffer = new std::vector<uint8_t>(Piece); // the watcher's alone
  int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (memory < 0)
    return nowNanoseconds(); // it is not known that nothing changes
  uint64_t digest = 0;
  for (const Allocation &a : Allocator::get().list())
    for (size_t at = 0; at < a.bytes; at += Piece) {
      size_t bytes = std::min(Piece, a.bytes - at);
      ssize_t got = pread(memory, buffer->data(), bytes, reinterpret_cast<off_t>(a.base + at));
      addTo(digest, buffer->data(), got > 0 ? static_cast<size_t>(got) : 0);
    }
  close(memory);
  return digest;
}

} // namespace

uint64_t EngineThreads::hangTime() {
  static const uint64_t time = [] {
    double seconds = DefaultSeconds;
    if (const char *text = getenv("HEDDLE_HANG_SECONDS"); text && *text) {
      char *end;
      seconds = strtod(text, &end);
      if (*end || !(seconds >= 0) || seconds > 1e9) {
        fprintf(
            stderr,
            "heddle: HEDDLE_HANG_SECONDS is '%s'; a number of seconds is wanted, or 0 for never\n",
            text);
        seconds = DefaultSeconds;
      }
    }
    return static_cast<uint64_t>(seconds * 1e9);
  }();
  return time;
}

void noteTurn(Worker &worker, bool gotOn) {
  increment(gotOn ? worker.turnsOn : worker.turnsInVain);
}

bool mustLook(BlockSlot &slot, bool always) {
  uint64_t epoch = lookEpoch.load(std::memory_order_relaxed);
  return std::exchange(slot.epoch, epoch) != epoch || always;
}

namespace {

/// What a block looks like while all of its warps wait.
void addBlock(uint64_t &digest, const Op &op, const BlockSlot &slot) {
  const KernelCode &code = *op.launch.kernel->code;
  const Block &block = slot.block;
  addTo(digest, slot.frames, static_cast<size_t>(block.frameTop - slot.frames));
  addTo(digest, block.shared, op.launch.abi.sharedBytes);
  for (uint32_t w = 0; w < code.warpsPerBlock; ++w) {
    const WarpState &state = block.warps[w];
    if (!state.frame)
      continue;
    const uint64_t wait[] = {w, uint64_t(state.wait), state.polls,
                             reinterpret_cast<uint64_t>(state.where)};
    addTo(digest, wait, sizeof(wait));
    if (code.flags & KernelFibers) {
      std::span<const uint8_t> stack = slot.fibers.inUse(w);
      addTo(digest, stack.data(), stack.size());
    }
  }
}

} // namespace

bool hasChanged(const Op &op, BlockSlot &slot) {
  uint64_t digest = 0;
  forEachBlock(slot, [&](BlockSlot &block) { addBlock(digest, op, block); });
  return std::exchange(slot.digest, digest) != digest;
}

// ---------------------------------------------------------------------------------------------------
// The watcher.

/// Nothing is under way but launches whose workers all poll, and have done nothing else since the
/// last look.
bool EngineThreads::allPollInVain(Engine &engine) {
  bool any = false, vain = hostsWaiting() > 0 && engine.copierAsleep_ && engine.hostThreadAsleep_ &&
                           engine.outsideWaits_ == 0 && !Allocator::get().isAnyShared() &&
                           engine.readyTasks_.count == 0 && engine.readyLaunches_.count == 0 &&
                           engine.toAdvance_ == nullptr;
  unsigned count = allWorkerCount.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    Worker &worker = *allWorkers[i];
    uint64_t turnsOn = worker.turnsOn.load(std::memory_order_relaxed);
    uint64_t inVain = worker.turnsInVain.load(std::memory_order_relaxed);
    bool gotOn = std::exchange(worker.seenTurnsOn, turnsOn) != turnsOn;
    bool polled = std::exchange(worker.seenTurnsInVain, inVain) != inVain;
    if (!worker.busyWith)
      continue;
    any = true;
    vain &= worker.polls && polled && !gotOn;
  }
  return any && vain;
}

void EngineThreads::lookForHang(Engine &engine, uint64_t now) {
  uint64_t limit = hangTime();
  if (!limit || now - engine.hangLook_ < limit / Looks)
    return;
  engine.hangLook_ = now;
  bool vain = allPollInVain(engine);
  lookEpoch.fetch_add(1, std::memory_order_relaxed);
  if (!vain) {
    engine.hangLooks_ = 0;
    return;
  }
  engine.unlock();
  uint64_t digest = digestOfMemory();
  bool isTraced = isDebuggerAttached();
  engine.lock();
  bool same = std::exchange(engine.hangDigest_, digest) == digest;
  engine.hangLooks_ = same && !isTraced ? engine.hangLooks_ + 1 : 0;
  if (engine.hangLooks_ >= Looks)
    endHangs(engine);
}

/// No worker is cut off: each puts its block aside when it comes round.
void EngineThreads::endHangs(Engine &engine) {
  engine.hangLooks_ = 0;
  unsigned count = allWorkerCount.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i)
    if (Op *op = allWorkers[i]->busyWith; op && allWorkers[i]->polls) {
      op->launch.hangs = true;
      op->launch.cancelled.store(true);
      op->launch.next.store(op->launch.blocks);
    }
}

} // namespace heddle::device::cpu
