// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/watch.h"

#include "base/machine/clock.h"
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/grid_children.h"
#include "device/cpu/engine/queue.h"

#include <atomic>

namespace heddle::device::cpu {

thread_local const Op *runningTask = nullptr;
/// It may come while work runs.
static std::atomic<const Watcher *> theWatcher = nullptr;
static const Watcher *watcher() { return theWatcher.load(std::memory_order_acquire); }

/// What the host asked for, of which it is a part.
static const Op &hostOpOf(const Op &op) {
  const Op *outer = &op;
  for (;;) {
    if (outer->queue->graph)
      outer = outer->queue->graph->runner;
    else if (outer->parent)
      outer = &outer->parent->grid();
    else
      return *outer;
  }
}

/// Of what has no number that which it is part of has one.
static uint64_t workOf(const Op &op) { return op.work ? op.work : hostOpOf(op).work; }

void watchLaunchOver(const Op &op) {
  const LaunchState &launch = op.launch;
  if (watcher() && launch.started)
    watcher()->launchOver({launch.note, hostOpOf(op).queue, launch.begin, nowNanoseconds(),
                           launch.abi.launchId, launch.kernel, workOf(op)});
}

static WatchedWork::Kind kindOf(const Op &op) {
  using Kind = WatchedWork::Kind;
  switch (op.kind) {
  case OpKind::Launch:
    return Kind::Launch;
  case OpKind::Record:
    return Kind::Record;
  case OpKind::Task:
  case OpKind::Inline:
    return Kind::Task;
  default:
    return Kind::Other;
  }
}

static void watchPart(Op &op, uint64_t whole) {
  op.work = 0;
  if (!watcher() || !watcher()->partAppended || !whole)
    return;
  if (op.kind == OpKind::Wait) {
    if (op.marker && op.marker->work)
      watcher()->partWaits(op.queue, op.marker->work);
    return;
  }
  op.work = watcher()->partAppended({kindOf(op), op.queue, whole});
  if (op.kind == OpKind::Record && op.marker)
    op.marker->work = op.work;
}

void watchGraphBegins(const Graph &graph) {
  for (const Op &op : graph.ops)
    watchPart(const_cast<Op &>(op), graph.runner->work);
}

void watchAppended(Op &op) {
  if (!watcher() || !watcher()->appended || op.queue->graph)
    return;
  if (op.parent)
    return watchPart(op, op.parent->grid().work);
  const Queue &queue = *op.queue;
  if (op.kind == OpKind::Wait) {
    if (op.marker)
      watcher()->waits(&queue, op.marker->work);
    return;
  }
  bool isAwaited = op.kind == OpKind::Inline;
  op.work = watcher()->appended({kindOf(op), &queue, queue.kind == QueueKind::Legacy, isAwaited});
  if (op.marker)
    op.marker->work = op.work;
}

bool givesTimes() { return watcher() && watcher()->timeOf; }

uint64_t timeOfMarker(const Marker &marker) {
  return givesTimes() && marker.work ? watcher()->timeOf(marker.work) : marker.time;
}

void watchSeen(const Queue *queue, const Marker *marker) {
  bool isKnown = !marker || marker->work; // a marker of a graph's own has no number
  if (watcher() && watcher()->seen && isKnown)
    watcher()->seen(queue, marker ? marker->work : 0);
}

} // namespace heddle::device::cpu

namespace heddle::device {

void setWatcher(const Watcher *given) {
  cpu::theWatcher.store(given, std::memory_order_release);
  isObserved = true;
}

const Queue *runningQueue() {
  return cpu::runningTask ? cpu::hostOpOf(*cpu::runningTask).queue : nullptr;
}
uint64_t runningWork() { return cpu::runningTask ? cpu::workOf(*cpu::runningTask) : 0; }

} // namespace heddle::device
