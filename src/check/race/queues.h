// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of streams the program has put in an order: by their streams, by events, by the
// default stream's rule, or by a host thread that has seen the end of one before it asked for the
// other.
#pragma once

#include "device/checks.h"

#include <cstdint>
#include <map>
#include <vector>

namespace heddle::check {

class LaunchRaces;

/// How many operations of each queue come before something.
class QueueClock {
public:
  void join(const QueueClock &);
  uint64_t of(const void *queue) const;
  void raise(const void *queue, uint64_t count);
  bool covers(const QueueClock &) const;

private:
  std::map<const void *, uint64_t> counts_;
};

/// An operation: the `number`-th of its queue.
struct QueuedWork {
  const void *queue = nullptr;
  uint64_t number = 0;
  QueueClock before;
  uint64_t run = 0;    ///< of the graph or the grid that it belongs to; 0: the host asked for it
  bool isTail = false; ///< behind all others of its run
};
/// What a launch belongs to, the outermost first, and itself. Empty: not known, and ordered with all.
using WorkPath = std::vector<QueuedWork>;

/// The work that the host, one run of a graph, or the threads of one grid ask for.
struct Timeline {
  WorkPath path; ///< of the graph or grid; of the host: empty
  uint64_t run = 0;
  QueueClock seen, all; ///< what comes before all that follows; all that was asked for
  std::map<const void *, QueueClock> queues, markers;
  std::map<const void *, uint64_t> counts;
};

/// CheckServices' part: a step of the program's.
void noteOrder(const device::OrderStep &);
/// Where the copies of an operation that runs now belong, and the call of the API that asked for it.
/// Empty: not known.
WorkPath placeOfTask(const void *operation, uint32_t &origin);
/// Neither was ordered behind the other.
bool areApart(const WorkPath &, const WorkPath &);
/// A grid of that place has launched it, or what did, and not as its last work.
bool isWithin(const WorkPath &, const WorkPath &grid);
/// A thread of a grid has waited for the grid's children since.
bool hasSeenChild(const LaunchRaces &grid, const WorkPath &child);

/// A host thread has seen the end of it, or its place is not known.
bool isSeenByHost(const WorkPath &);
/// ... of all that was asked for.
bool hasHostSeenAll();

} // namespace heddle::check
