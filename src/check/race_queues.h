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

namespace heddle::check {

/// How many operations of each queue come before something.
class QueueClock {
public:
  void join(const QueueClock &);
  uint64_t of(const void *queue) const;
  void raise(const void *queue, uint64_t count);

private:
  std::map<const void *, uint64_t> counts_;
};

/// An operation: the `number`-th of its queue. 0: not known, and ordered with all.
struct QueuedWork {
  const void *queue = nullptr;
  uint64_t number = 0;
  QueueClock before;
};

/// CheckServices' part: a step of the program's.
void noteOrder(const device::OrderStep &);
/// Neither was ordered behind the other.
bool areApart(const QueuedWork &, const QueuedWork &);

} // namespace heddle::check
