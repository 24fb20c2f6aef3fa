// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

#include <sys/prctl.h>

namespace heddle {

/// What debuggers and /proc call threads of ours: a program's own are told apart by it.
inline constexpr char OwnThreadName[] = "heddle-thread";
/// That are created, and have not named themselves yet.
inline std::atomic<int> ownThreadsToCome = 0;
/// What such a thread does first.
inline void nameOwnThread() {
  prctl(PR_SET_NAME, OwnThreadName);
  ownThreadsToCome.fetch_sub(1, std::memory_order_release);
}

} // namespace heddle
