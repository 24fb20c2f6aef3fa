// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/waiting/parked.h"

namespace heddle::device::cpu {

/// While it lives, the worker has nothing to do but blocks that may poll, and tells of each turn.
class PollingWorker {
public:
  explicit PollingWorker(Worker &worker) : worker_(worker) { worker.polls = true; }
  ~PollingWorker() { worker_.polls = false; }
  PollingWorker(const PollingWorker &) = delete;
  PollingWorker &operator=(const PollingWorker &) = delete;

private:
  Worker &worker_;
};

/// A turn of a block that may poll: it got on, or it polled in vain.
void noteTurn(Worker &, bool gotOn);
/// Whether the block looks otherwise than it did when this was last asked: its warps' frames or
/// stacks, its shared memory, or what the warps wait for. All of them must wait.
bool hasChanged(const Op &, BlockSlot &);
/// Whether it is time to ask: `always`, or once for each look of the watcher.
bool mustLook(BlockSlot &, bool always);

/// Says once for a device which blocks of a launch wait for ever, and where, and loses the context.
void reportHang(Op &, const ParkedBlocks *);

} // namespace heddle::device::cpu
