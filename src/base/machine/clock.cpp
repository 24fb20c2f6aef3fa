// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/machine/clock.h"

#include <atomic>
#include <ctime>

namespace heddle {

namespace {

std::atomic<Clock *> processClock{nullptr};

uint64_t nanosecondsOf(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

} // namespace

void setClock(Clock *clock) { processClock.store(clock, std::memory_order_release); }

uint64_t nowNanoseconds() {
  Clock *clock = processClock.load(std::memory_order_acquire);
  return clock ? clock->now() : nanosecondsOf(CLOCK_MONOTONIC);
}

uint64_t threadNanoseconds() {
  Clock *clock = processClock.load(std::memory_order_acquire);
  return clock ? clock->thread() : nanosecondsOf(CLOCK_THREAD_CPUTIME_ID);
}

} // namespace heddle
