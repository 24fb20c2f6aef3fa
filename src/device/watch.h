// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For those who take down what runs when (src/profile).
#pragma once

#include "device/device.h"

namespace heddle::device {

/// A launch that was watched. Times are those of nowNanoseconds.
struct WatchedLaunch {
  uint64_t note; ///< LaunchRequest::note
  const Queue
      *queue; ///< the host's; of a graph that which runs it, of children that of the first parent
  uint64_t begin, end;
  const KernelInfo *kernel;
};

struct Watcher {
  /// A launch with a note is over. Under the engine's lock: brief.
  void (*launchOver)(const WatchedLaunch &);
};
/// Before the first launch.
void setWatcher(const Watcher *);

/// The queue of the task that this thread runs, as of a WatchedLaunch; null: it runs none.
const Queue *runningQueue();

} // namespace heddle::device
