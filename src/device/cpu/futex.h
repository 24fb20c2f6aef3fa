// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/machine/clock.h"

#include <atomic>
#include <cstdint>
#include <ctime>

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::device::cpu {

/// Sleeps while `word` holds `value`, at most `nanoseconds` (0: for ever). May wake up for no
/// reason.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t value, uint64_t nanoseconds = 0) {
  timespec timeout = {static_cast<time_t>(nanoseconds / 1'000'000'000),
                      static_cast<long>(nanoseconds % 1'000'000'000)};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &timeout : nullptr, nullptr,
          0);
}

/// Wakes one sleeper. The word may be gone by now: only its address is used.
inline void futexWake(const void *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

inline void pauseCpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// For threads that look at a word again and again: the first looks follow each other closely,
/// later ones let others run in between, above all the one that is to write the word, if it has no
/// processor of its own.
class Spin {
public:
  void turn() {
    if (turns_ < CloseTurns) {
      ++turns_;
      pauseCpu();
    } else {
      sched_yield();
    }
  }

private:
  static constexpr int CloseTurns = 10; ///< less than a microsecond
  int turns_ = 0;
};

} // namespace heddle::device::cpu
