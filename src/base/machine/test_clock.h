// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A clock for tests. Code that takes time says how much (passTime); nothing else counts.
#pragma once

#include "base/machine/clock.h"

#include <atomic>

namespace heddle::test {

/// While one lives, the process's time is what passTime has said. Each look at the time lasts a
/// microsecond, so that waits with a bound end.
class TestClock {
public:
  TestClock() {
    time().now_ = nowNanoseconds();
    setClock(&time());
  }
  ~TestClock() { setClock(nullptr); }
  TestClock(const TestClock &) = delete;
  TestClock &operator=(const TestClock &) = delete;

  /// So much time passes for all, in which the calling thread has a processor.
  static void passTime(uint64_t nanoseconds) {
    time().now_ += nanoseconds;
    time().thread_ += nanoseconds;
  }

private:
  struct Time final : Clock {
    uint64_t now() override { return now_ += Look; }
    uint64_t thread() override { return thread_; }

    static constexpr uint64_t Look = 1000;
    std::atomic<uint64_t> now_{0};
    static inline thread_local uint64_t thread_ = 0;
  };
  /// Never destroyed, for other threads may just be looking at it.
  static Time &time() {
    static Time &time = *new Time;
    return time;
  }
};

} // namespace heddle::test
