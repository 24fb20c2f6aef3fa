// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counters in memory that several processes map, and sleeping until they have grown.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::device::cpu {

static_assert(std::endian::native == std::endian::little,
              "the lower half of a counter is its futex");

/// How often who waits looks at a counter that nobody tells of: programs that only write it are
/// served, too.
inline constexpr long LookNanoseconds = 1'000'000;

/// Sleeps until the counter has that value or a higher one.
inline void waitUntilAtLeast(const std::atomic<uint64_t> &counter, uint64_t value) {
  const timespec look = {0, LookNanoseconds};
  for (;;) {
    const uint64_t seen = counter.load(std::memory_order_acquire);
    if (seen >= value)
      return;
    syscall(SYS_futex, &counter, FUTEX_WAIT, static_cast<uint32_t>(seen), &look, nullptr, 0);
  }
}

/// Gives the counter that value, unless it is higher, and wakes all who wait.
inline void raiseAndWake(std::atomic<uint64_t> &counter, uint64_t value) {
  uint64_t before = counter.load(std::memory_order_relaxed);
  while (before < value && !counter.compare_exchange_weak(before, value, std::memory_order_release))
    ;
  syscall(SYS_futex, &counter, FUTEX_WAKE, INT32_MAX, nullptr, nullptr, 0);
}

} // namespace heddle::device::cpu
