// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// What a thread did behind taking a lock, up to the first fence: at times of its block from one on,
/// before others.
struct LockSection {
  const AccessSite *site; ///< where it took the lock
  uint64_t free;          ///< what the lock holds when nobody has it
  uint32_t block, thread;
  uint32_t from;
  uint32_t until[2]; ///< to threads of the block, and to others; 0: no fence yet
  uint32_t to = 0;   ///< before this it gave the lock back
};
/// Of a lock, by its address, the last ones.
using LockSections = std::unordered_map<uintptr_t, std::vector<LockSection>>;

/// A lock that a lane has taken.
struct HeldLock {
  uintptr_t address;
  LockSection own;
  std::vector<LockSection> others; ///< it did not know of those
  std::vector<LockSection> before; ///< as well, this section might have come first (lock_order.cpp)
};
/// What was done under a lock that a lane has given back.
struct LeftLock {
  uintptr_t address;
  std::vector<LockSection> before; ///< HeldLock::before
};
struct WarpLocks {
  std::array<std::vector<HeldLock>, 32> lanes;
  std::array<std::vector<LeftLock>, 32> left;
};

/// What lanes are about to swap or change.
struct LockTrial {
  const AccessSite *site;
  uint32_t held; ///< lanes that have the lock at the address
  std::array<uintptr_t, 32> addresses;
  std::array<std::vector<LockSection>, 32> others, before;
};

} // namespace heddle::check
