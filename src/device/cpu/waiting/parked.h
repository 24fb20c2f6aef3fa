// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/launch/block_slot.h"

#include <mutex>

namespace heddle::device::cpu {

/// Blocks of a launch that have polled in vain, for any of its workers to go on with.
class ParkedBlocks {
public:
  void put(BlockSlot *);
  /// The one that waits longest; null if there is none.
  BlockSlot *take();
  uint64_t waiting() const { return waiting_.load(std::memory_order_relaxed); }
  /// Calls action(slot) for each block that is here, when no worker is in the launch any more.
  template <typename F> void forEach(F &&action) const {
    for (const BlockSlot *slot = first_; slot; slot = slot->next)
      forEachBlock(*slot, [&](const BlockSlot &block) {
        if (!block.over)
          action(block);
      });
  }
  /// Those that were put here once and have not ended, here or with a worker.
  std::atomic<uint64_t> unfinished{0};

private:
  std::mutex mutex_;
  BlockSlot *first_ = nullptr, *last_ = nullptr;
  std::atomic<uint64_t> waiting_{0};
};

/// Whether blocks of this launch are put aside while they poll, or wait for the grid.
bool mayPark(const Op &);
/// Runs blocks of such a launch until none is left for this worker.
void runParkable(Worker &, Op &);
/// All workers have left the launch: reports it if it hung, and frees what cut-off blocks have
/// left. Under the engine's lock.
void endParked(Op &);

} // namespace heddle::device::cpu
