// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each queue has a clock: what comes before the next operation in it. The host has one, of all its
// threads: what one of them has waited for counts as known to all. Work whose order depends on
// memory (stream memory operations, other processes' events) makes its queue one that is ordered
// with all.
//
// A graph is one operation of its queue, and its nodes have a timeline of their own. So have the
// children of a grid: those of different blocks and streams are apart. What the grid itself does comes
// before a child as far as the thread knew of it that launched the child (Birth).
#include "check/race/queues.h"

#include "base/abi/kernel_abi.h"
#include "check/host_stack.h"
#include "check/race/launch.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace heddle::check {

namespace {

struct DeviceOrder {
  QueueClock legacy, blocking; ///< what the next operation of the other kind comes behind
};

struct Orders {
  std::mutex mutex;
  Timeline host;
  std::map<const void *, DeviceOrder> devices;
  std::set<const void *> unknown;          ///< queues
  std::map<const void *, Timeline> graphs; ///< by the operations that run them
  struct Task {
    WorkPath path;
    uint32_t origin;
  };
  std::map<const void *, Task> tasks;
  uint64_t runs = 0;
};
Orders &orders() {
  static Orders &orders = *new Orders;
  return orders;
}

/// No copy is still to come that may be apart from what the host has seen since it was asked for.
bool areCopiesSeen(const Orders &order) {
  return std::all_of(order.tasks.begin(), order.tasks.end(), [&](const auto &task) {
    const WorkPath &path = task.second.path;
    return path.empty() || order.host.seen.of(path[0].queue) >= path[0].number;
  });
}

LaunchRaces *racesOf(const CheckedLaunch *launch) {
  return launch ? static_cast<LaunchRaces *>(launch->races) : nullptr;
}

/// Of a grid's children.
Timeline *timelineOf(LaunchRaces *grid) {
  if (!grid)
    return nullptr;
  if (!grid->children) {
    grid->children = std::make_unique<Timeline>();
    grid->children->path = grid->work;
    grid->children->run = ++orders().runs;
  }
  return grid->children.get();
}

Timeline *timelineOf(const device::OrderStep &step) {
  if (step.parent)
    return timelineOf(racesOf(step.parent));
  if (!step.within)
    return &orders().host;
  auto at = orders().graphs.find(step.within);
  return at == orders().graphs.end() ? nullptr : &at->second;
}

/// An operation comes to the end of its queue.
void append(Timeline &timeline, const device::OrderStep &step) {
  using Kind = device::OrderStep::Kind;
  Orders &order = orders();
  QueueClock &clock = timeline.queues[step.queue];
  DeviceOrder &device = order.devices[step.device];
  clock.join(timeline.seen);
  if (step.rule != device::QueueKind::NonBlocking)
    clock.join(device.legacy);
  if (step.rule == device::QueueKind::Legacy)
    clock.join(device.blocking);
  if (step.kind == Kind::Wait)
    clock.join(timeline.markers[step.marker]);
  if (step.kind == Kind::Unknown)
    order.unknown.insert(step.queue);
  uint64_t number = ++timeline.counts[step.queue];
  WorkPath path = timeline.path;
  path.push_back({step.queue, number, clock, timeline.run, step.kind == Kind::Tail});
  bool isKnown = !order.unknown.contains(step.queue) && (timeline.run == 0 || path.size() > 1);
  if (LaunchRaces *races = racesOf(step.launch); races && isKnown)
    placeLaunch(*races, path, areCopiesSeen(order) ? &order.host.seen : nullptr);
  if (step.isTask)
    order.tasks[step.operation] = {isKnown ? path : WorkPath(),
                                   timeline.run == 0 ? hostStackHere() : 0};
  clock.raise(step.queue, number);
  if (step.operation) {
    order.graphs.erase(step.operation);
    if (step.kind == Kind::Graph && isKnown)
      order.graphs[step.operation].path = std::move(path);
  }
  bool isRecord = step.kind == Kind::Record || step.kind == Kind::Graph;
  if (isRecord && step.marker)
    timeline.markers[step.marker] = clock;
  if (step.kind == Kind::HostWork && timeline.run == 0)
    timeline.seen.join(clock);
  if (step.rule != device::QueueKind::NonBlocking)
    (step.rule == device::QueueKind::Legacy ? device.legacy : device.blocking).join(clock);
  timeline.all.join(clock);
}

} // namespace

void QueueClock::join(const QueueClock &other) {
  for (auto &[queue, count] : other.counts_)
    raise(queue, count);
}

uint64_t QueueClock::of(const void *queue) const {
  auto at = counts_.find(queue);
  return at == counts_.end() ? 0 : at->second;
}

bool QueueClock::covers(const QueueClock &other) const {
  return std::ranges::all_of(other.counts_,
                             [&](auto &pair) { return of(pair.first) >= pair.second; });
}

void QueueClock::raise(const void *queue, uint64_t count) {
  uint64_t &known = counts_[queue];
  known = std::max(known, count);
}

void noteOrder(const device::OrderStep &step) {
  using Kind = device::OrderStep::Kind;
  Orders &order = orders();
  std::lock_guard lock(order.mutex);
  Timeline &host = order.host;
  switch (step.kind) {
  case Kind::HostSeesMarker:
    return host.seen.join(host.markers[step.marker]);
  case Kind::HostSeesQueue:
    return host.seen.join(host.queues[step.queue]);
  case Kind::HostSeesAll:
    return host.seen.join(host.all);
  case Kind::GraphBegins:
    if (auto at = order.graphs.find(step.operation); at != order.graphs.end()) {
      Timeline fresh;
      fresh.path = std::move(at->second.path);
      fresh.run = ++order.runs;
      at->second = std::move(fresh);
    }
    return;
  case Kind::ChildrenSeen:
    if (LaunchRaces *grid = racesOf(step.parent); grid && grid->children)
      grid->children->seen.join(grid->children->all);
    return;
  default:
    if (Timeline *timeline = timelineOf(step))
      append(*timeline, step);
  }
}

WorkPath placeOfTask(const void *operation, uint32_t &origin) {
  Orders &order = orders();
  std::lock_guard lock(order.mutex);
  auto at = order.tasks.find(operation);
  if (at == order.tasks.end())
    return {};
  origin = at->second.origin;
  return at->second.path;
}

bool isSeenByHost(const WorkPath &path) {
  Orders &order = orders();
  std::lock_guard lock(order.mutex);
  return path.empty() || order.host.seen.of(path[0].queue) >= path[0].number;
}

bool hasHostSeenAll() {
  Orders &order = orders();
  std::lock_guard lock(order.mutex);
  return order.host.seen.covers(order.host.all);
}

bool isWithin(const WorkPath &path, const WorkPath &grid) {
  if (grid.empty() || path.size() <= grid.size() || path[grid.size()].isTail)
    return false;
  return std::equal(grid.begin(), grid.end(), path.begin(), [](auto &a, auto &b) {
    return a.run == b.run && a.queue == b.queue && a.number == b.number;
  });
}

bool hasSeenChild(const LaunchRaces &grid, const WorkPath &child) {
  Orders &order = orders();
  std::lock_guard lock(order.mutex);
  if (!grid.children || child.size() <= grid.work.size())
    return true;
  const QueuedWork &work = child[grid.work.size()];
  return grid.children->seen.of(work.queue) >= work.number;
}

bool areApart(const WorkPath &a, const WorkPath &b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].run != b[i].run || a[i].isTail != b[i].isTail)
      return false; // of one graph or grid after the other; at the end of it
    if (a[i].queue != b[i].queue || a[i].number != b[i].number)
      return a[i].before.of(b[i].queue) < b[i].number && b[i].before.of(a[i].queue) < a[i].number;
  }
  return false;
}

} // namespace heddle::check
