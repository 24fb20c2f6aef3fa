// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/watch.h"

#include "base/machine/clock.h"
#include "device/cpu/engine/graph.h"
#include "device/cpu/engine/grid_children.h"
#include "device/cpu/engine/queue.h"

namespace heddle::device::cpu {

thread_local const Op *runningTask = nullptr;
static const Watcher *watcher = nullptr;

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

void watchLaunchOver(const Op &op) {
  const LaunchState &launch = op.launch;
  if (watcher && launch.started)
    watcher->launchOver({launch.note, hostOpOf(op).queue, launch.begin, nowNanoseconds(),
                         launch.abi.launchId, launch.kernel, hostOpOf(op).work});
}

/// Of the host's queues: what others are part of has a number of its own.
void watchAppended(Op &op) {
  if (!watcher || !watcher->appended)
    return;
  using Kind = WatchedWork::Kind;
  const Queue &queue = *op.queue;
  if (op.parent || queue.graph)
    return;
  if (op.kind == OpKind::Wait) {
    if (op.marker)
      watcher->waits(&queue, op.marker->work);
    return;
  }
  Kind kind = op.kind == OpKind::Launch                              ? Kind::Launch
              : op.kind == OpKind::Record                            ? Kind::Record
              : op.kind == OpKind::Task || op.kind == OpKind::Inline ? Kind::Task
                                                                     : Kind::Other;
  bool isAwaited = op.kind == OpKind::Inline;
  op.work = watcher->appended({kind, &queue, queue.kind == QueueKind::Legacy, isAwaited});
  if (op.marker)
    op.marker->work = op.work;
}

uint64_t timeOfMarker(const Marker &marker) {
  return watcher && watcher->timeOf && marker.work ? watcher->timeOf(marker.work) : marker.time;
}

void watchSeen(const Queue *queue, const Marker *marker) {
  bool isKnown = !marker || marker->work; // a marker of a graph's own has no number
  if (watcher && watcher->seen && isKnown)
    watcher->seen(queue, marker ? marker->work : 0);
}

} // namespace heddle::device::cpu

namespace heddle::device {

void setWatcher(const Watcher *given) { cpu::watcher = given; }

const Queue *runningQueue() {
  return cpu::runningTask ? cpu::hostOpOf(*cpu::runningTask).queue : nullptr;
}
uint64_t runningWork() { return cpu::runningTask ? cpu::hostOpOf(*cpu::runningTask).work : 0; }

} // namespace heddle::device
