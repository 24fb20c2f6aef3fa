// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that take turns: neighbours walk through memory side by side, each to its next barrier in
// turn (simt/form/abreast.cpp says why). Each has its own shared memory, at a guard page of its own, and
// its own frame.
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/worker.h"

#include <algorithm>

namespace heddle::device::cpu {

namespace {

struct Neighbours {
  Block blocks[MostAbreast];
  BlockRun runs[MostAbreast];
};

/// Memory for `count` blocks.
bool bind(Worker &worker, Op &op, Neighbours &all, uint64_t count) {
  uint64_t frame = roundUp(worker.form->code->frameBytes, 64);
  uint8_t *frames = worker.frames.reserve(frame * count, 64);
  if (!frames)
    return failForMemory(worker, op, "warps' frames", frame * count);
  for (uint64_t i = 0; i < count; ++i) {
    Block &block = all.blocks[i];
    block = worker.block;
    block.frameTop = frames + i * frame;
    block.frameEnd = block.frameTop + frame;
    block.warps = worker.warps + i;
    if (i > 0)
      block.shared = block.clusterShared[0] = reserveShared(
          worker.sharedAbreast[i - 1], *block.launch, *worker.form->code, worker.sharedMeetsGuard);
    if (!block.shared)
      return failForMemory(worker, op, "shared memory", block.launch->sharedBytes);
  }
  return true;
}

/// Returns the block that cannot go on, or null.
const BlockRun *runInTurns(Worker &worker, Op &op, Neighbours &all, uint64_t first,
                           uint64_t count) {
  uint8_t *frames[MostAbreast];
  bool over[MostAbreast] = {};
  for (uint64_t i = 0; i < count; ++i) {
    Block &block = all.blocks[i];
    frames[i] = block.frameTop;
    setBlockIndex(block, op.launch.abi, *worker.form->code, first + i);
    all.runs[i].init(*worker.form->code, block, worker.fibers, op.launch.cancelled);
    worker.current = &block;
    beginShared(block);
    all.runs[i].startWarps();
  }
  for (uint64_t live = count; live > 0;)
    for (uint64_t i = 0; i < count; ++i) {
      if (over[i])
        continue;
      worker.current = &all.blocks[i];
      BlockEnd end = all.runs[i].advance();
      if (end == BlockEnd::Goes)
        continue;
      if (end == BlockEnd::Cancelled)
        return nullptr;
      if (end != BlockEnd::Finished)
        return &all.runs[i];
      over[i] = true;
      --live;
    }
  for (uint64_t i = 0; i < count; ++i)
    all.blocks[i].frameTop = frames[i];
  return nullptr;
}

} // namespace

bool runAbreast(Worker &worker, Op &op, uint64_t first, uint64_t count) {
  uint64_t most = std::min<uint64_t>(worker.form->code->abreast, MostAbreast);
  Neighbours all;
  if (!bind(worker, op, all, std::min(count, most)))
    return false;
  const BlockRun *stuck = nullptr;
  bool done = runGuarded(worker, &op, [&] {
    for (uint64_t i = 0; i < count && !stuck && !op.launch.cancelled; i += most)
      stuck = runInTurns(worker, op, all, first + i, std::min(most, count - i));
    std::atomic_thread_fence(
        std::memory_order_seq_cst); // non-temporal stores (simt/stream_stores.h)
  });
  if (!done)
    failLaunch(worker, op);
  else if (stuck)
    reportDeadlock(worker, op, *stuck);
  if (stuck)
    cancelLaunch(op);
  worker.current = &worker.block;
  return done && !stuck;
}

} // namespace heddle::device::cpu
