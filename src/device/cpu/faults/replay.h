// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/worker.h"

#include <utility>

namespace heddle::device::cpu {

/// The threads of which one faulted, as numbers in their block, x fastest: those of the program that
/// ran, [first, second); all of the block if a program's threads do not lie one after the other.
std::pair<uint32_t, uint32_t> threadsOfProgram(const Block &, const KernelCode &);

/// A thread that faulted when its block ran again.
struct ThreadFault {
  uint32_t thread; ///< in the block, x fastest
  FaultRecord record;
};

/// Blocks that may have run as one with the one that faulted, which is the first of them.
struct BlocksAsOne {
  unsigned dimension; ///< in which they are neighbours
  uint32_t count;
};
BlocksAsOne blocksAsOne(const KernelCode &, const Block &);

/// Which thread of a warp faulted, found by running its block once more in a process of its own;
/// see replay.cpp. Used while a fault is reported, by the worker that faulted.
class Replay {
public:
  /// Takes what `worker.record` and `worker.current` say. Without threads if the block cannot run
  /// again.
  Replay(Worker &worker, Op &op);
  ~Replay();
  Replay(const Replay &) = delete;
  Replay &operator=(const Replay &) = delete;

  /// The threads of the warp that faulted, in the order in which they did.
  uint32_t count() const;
  const ThreadFault &operator[](uint32_t i) const;
  /// Theirs, counted from the first of those that ran as one. Only if there are threads.
  uint32_t block() const;
  /// The program that found them, for their source lines.
  const KernelInfo &kernel() const { return *kernel_; }

private:
  struct Findings;
  void runChild(Worker &, Op &);
  void runThreads(Worker &, Op &, Block &);
  void runBlock(Worker &, Op &, Block &);
  void note(const FaultRecord &, uint32_t thread);

  const KernelInfo *kernel_ = nullptr;
  uint32_t first_ = 0, last_ = 0; ///< the warp's threads: [first, last)
  size_t bytes_ = 0;
  Findings *findings_ = nullptr; ///< shared with the child
};

} // namespace heddle::device::cpu
