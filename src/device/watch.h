// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For those who take down what runs when (src/profile).
#pragma once

#include "device/device.h"

#include <atomic>

namespace heddle::device {

/// A launch that was watched. Times are those of nowNanoseconds.
struct WatchedLaunch {
  uint64_t note; ///< LaunchRequest::note
  const Queue
      *queue; ///< the host's; of a graph that which runs it, of children that of the first parent
  uint64_t begin, end;
  uint64_t id; ///< Launch::launchId
  const KernelInfo *kernel;
  uint64_t work; ///< what `appended` or `partAppended` gave
};

/// An operation that comes to the end of a queue of the host's.
struct WatchedWork {
  enum class Kind : uint8_t { Launch, Task, Record, Other } kind;
  const Queue *queue;
  bool isDefault; ///< the legacy default stream
  bool isAwaited; ///< the host waits for its end at once
};

/// An operation that is part of another: of a graph that runs, or of a kernel.
struct WatchedPart {
  WatchedWork::Kind kind;
  const Queue *queue; ///< of the graph or of the kernel
  uint64_t whole;     ///< the number of what it is part of
};

/// All but the first may be null.
struct Watcher {
  /// A launch with a note is over. Under the engine's lock: brief.
  void (*launchOver)(const WatchedLaunch &);
  /// Under the engine's lock. Its number.
  uint64_t (*appended)(const WatchedWork &);
  /// The same of a part. The next part of a queue waits for another part.
  uint64_t (*partAppended)(const WatchedPart &);
  void (*partWaits)(const Queue *, uint64_t work);
  /// Later work of a queue waits for what a marker was recorded behind.
  void (*waits)(const Queue *, uint64_t work);
  /// A host thread has waited for a queue, for a marker's work, or for all: one of the three.
  void (*seen)(const Queue *, uint64_t work);
  /// The time of a marker: nanoseconds, in place of the processor's.
  uint64_t (*timeOf)(uint64_t work);
};
void setWatcher(const Watcher *);

/// There has been a Watcher or a Checker (device/checks.h): the engine tells of each operation.
extern std::atomic<bool> isObserved;

/// The queue of the task that this thread runs, as of a WatchedLaunch; null: it runs none.
const Queue *runningQueue();
/// Its number; 0: none.
uint64_t runningWork();

} // namespace heddle::device
