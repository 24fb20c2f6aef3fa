// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each queue has a clock: what comes before the next operation in it. The host has one, of all its
// threads: what one of them has waited for counts as known to all. Work whose order depends on
// memory (stream memory operations, other processes' events) makes its queue one that is ordered
// with all.
#include "check/race_queues.h"

#include "base/abi/kernel_abi.h"
#include "check/race_launch.h"

#include <mutex>
#include <set>

namespace heddle::check {

namespace {

struct DeviceOrder {
  QueueClock legacy, blocking; ///< what the next operation of the other kind comes behind
};

struct Orders {
  std::mutex mutex;
  QueueClock host, all;
  std::map<const void *, QueueClock> queues, markers;
  std::map<const void *, uint64_t> counts;
  std::map<const void *, DeviceOrder> devices;
  std::set<const void *> unknown; ///< queues
};
Orders &orders() {
  static Orders &orders = *new Orders;
  return orders;
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

void QueueClock::raise(const void *queue, uint64_t count) {
  uint64_t &known = counts_[queue];
  known = std::max(known, count);
}

void noteOrder(const device::OrderStep &step) {
  using Kind = device::OrderStep::Kind;
  Orders &order = orders();
  std::lock_guard lock(order.mutex);
  switch (step.kind) {
  case Kind::HostSeesMarker:
    return order.host.join(order.markers[step.marker]);
  case Kind::HostSeesQueue:
    return order.host.join(order.queues[step.queue]);
  case Kind::HostSeesAll:
    return order.host.join(order.all);
  default:
    break;
  }
  QueueClock &clock = order.queues[step.queue];
  DeviceOrder &device = order.devices[step.device];
  clock.join(order.host);
  if (step.rule != device::QueueKind::NonBlocking)
    clock.join(device.legacy);
  if (step.rule == device::QueueKind::Legacy)
    clock.join(device.blocking);
  if (step.kind == Kind::Wait)
    clock.join(order.markers[step.marker]);
  if (step.kind == Kind::Unknown)
    order.unknown.insert(step.queue);
  uint64_t number = ++order.counts[step.queue];
  if (step.launch && step.launch->races && !order.unknown.contains(step.queue))
    placeLaunch(*static_cast<LaunchRaces *>(step.launch->races), {step.queue, number, clock},
                order.host);
  clock.raise(step.queue, number);
  if (step.kind == Kind::Record && step.marker)
    order.markers[step.marker] = clock;
  if (step.kind == Kind::HostWork)
    order.host.join(clock);
  if (step.rule != device::QueueKind::NonBlocking)
    (step.rule == device::QueueKind::Legacy ? device.legacy : device.blocking).join(clock);
  order.all.join(clock);
}

bool areApart(const QueuedWork &a, const QueuedWork &b) {
  return a.number && b.number && a.before.of(b.queue) < b.number && b.before.of(a.queue) < a.number;
}

} // namespace heddle::check
